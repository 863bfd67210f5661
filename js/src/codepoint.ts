/** Strings by code point, as Python counts and compares them; JavaScript does so by UTF-16 unit. */

/** The white space of Python's `str.split`, for a character class; JavaScript's `\s` differs from it. */
export const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const WORDS = new RegExp(`[^${SPACE}]+`, "gu");
const PLAIN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/** The words of a text, between runs of white space. */
export function splitWords(text: string): string[] {
  // Nearly all commands have single spaces, and then the built-in split is faster.
  return PLAIN.test(text) ? text.split(" ") : (text.match(WORDS) ?? []);
}

/** Where the words of a text begin. */
export function wordStarts(text: string): number[] {
  return Array.from(text.matchAll(WORDS), (match) => match.index);
}

/** The words of a text, each with its place. */
export function wordSpans(text: string): [string, number, number][] {
  return Array.from(text.matchAll(WORDS), (match) => [match[0], match.index, match.index + match[0].length]);
}

/** The number of code points. */
export function length(text: string): number {
  let count = text.length;
  for (let place = 1; place < text.length; place++) {
    if (isLow(text.charCodeAt(place)) && isHigh(text.charCodeAt(place - 1))) count--;
  }
  return count;
}

/** The first code points. */
export function head(text: string, count: number): string {
  return text.length <= count ? text : [...text].slice(0, count).join("");
}

/** Negative, zero or positive: the order by code point. */
export function compare(left: string, right: string): number {
  const both = Math.min(left.length, right.length);
  for (let place = 0; place < both; place++) {
    const difference = left.charCodeAt(place) - right.charCodeAt(place);
    if (difference) return weight(left.charCodeAt(place)) - weight(right.charCodeAt(place));
  }
  return left.length - right.length;
}

/** The text, padded with spaces to a number of code points. */
export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - length(text)));
}

/** Surrogates stand for code points above U+FFFF, and so come last. */
function weight(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
