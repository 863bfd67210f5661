/**
 * JSON from files of strangers, as Python's `json` reads it.
 *
 * `JSON.parse` accepts a key twice, forgets whether a number was written as a whole one, rounds beyond 2^53
 * and moves keys such as "1" to the front. The messages are those of Python.
 */

import { length } from "./codepoint.js";
import { decodeUtf8 } from "./utf8.js";

/** A whole number is a number, or a bigint beyond 2^53. */
export type Json = null | boolean | string | number | bigint | Float | Json[] | Members;

/** A number that was written with a point or an exponent. */
export class Float {
  constructor(readonly value: number) {}
}

/** An object, its keys in the order of the file. */
export class Members {
  constructor(readonly entries: readonly (readonly [string, Json])[]) {}

  get keys(): string[] {
    return this.entries.map(([key]) => key);
  }

  /** The value of a key that is present. */
  get(key: string): Json {
    const entry = this.entries.find(([name]) => name === key);
    if (!entry) throw new RangeError(`no key ${key}`);
    return entry[1];
  }
}

/** Text that is no JSON of a model file. */
export class JsonError extends Error {}

/** Lists in lists beyond all bounds. */
export class NestingError extends Error {}

const BYTES_PER_PART = 8; // the shortest row is ["a","b"]; a part is a list, an object or a key
const SPARE_PARTS = 65_536; // for provenance, which is free in form and has at most as many bytes
const MAX_DEPTH = 900; // Python gives up near 1,000
const MAX_DIGITS = 4300; // of a whole number, as Python has it
const [QUOTE, BACKSLASH, LINE_FEED] = [0x22, 0x5c, 0x0a];
const PARTS = [0x5b, 0x7b, 0x3a]; // [ { :
const NUMBER = /(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const ESCAPED: Readonly<Record<string, string>> = {
  '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t",
};
const CONSTANTS: readonly (readonly [string, Json])[] = [["null", null], ["true", true], ["false", false]];

/** The value of JSON text; JsonError or NestingError if it is invalid or too dense. */
export function parse(data: Uint8Array): Json {
  const most = Math.floor(data.length / BYTES_PER_PART) + SPARE_PARTS;
  // Strings may hold these characters too: they are told apart only where there are too many in all.
  if (count(data) > most && countOutside(data) > most) {
    throw new JsonError("more lists than a model file of its size holds");
  }
  return new Parser(decodeUtf8(data)).document();
}

/** Plain values for users: no Float, no Members. */
export function plain(value: Json): unknown {
  if (value instanceof Float) return value.value;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Members) {
    return Object.fromEntries(value.entries.map(([key, member]) => [key, plain(member)]));
  }
  return value;
}

function count(data: Uint8Array): number {
  let found = 0;
  for (const byte of data) if (PARTS.includes(byte)) found++;
  return found;
}

function countOutside(data: Uint8Array): number {
  let found = 0;
  for (let place = 0; place < data.length; ) {
    if (data[place] === QUOTE) {
      place = afterString(data, place);
    } else if (PARTS.includes(data[place++] ?? 0)) {
      found++;
    }
  }
  return found;
}

/** The place behind the string that begins here; behind its quote if it does not end. */
function afterString(data: Uint8Array, start: number): number {
  for (let place = start + 1; place < data.length; place++) {
    if (data[place] === QUOTE) return place + 1;
    if (data[place] === BACKSLASH && (++place >= data.length || data[place] === LINE_FEED)) break;
  }
  return start + 1;
}

class Parser {
  private place = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  document(): Json {
    this.skip();
    const value = this.value();
    this.skip();
    if (this.place < this.text.length) throw this.error("Extra data", this.place);
    return value;
  }

  private value(): Json {
    const character = this.text[this.place];
    if (character === '"') return this.string();
    if (character === "{") return this.object();
    if (character === "[") return this.array();
    for (const [name, constant] of CONSTANTS) if (this.took(name)) return constant;
    for (const name of ["NaN", "Infinity", "-Infinity"]) {
      if (this.took(name)) throw new JsonError(`${name} is not allowed`);
    }
    return this.number();
  }

  private object(): Members {
    const entries: [string, Json][] = [];
    this.enter();
    if (this.text[this.place] !== "}") {
      for (;;) {
        if (this.text[this.place] !== '"') {
          throw this.error("Expecting property name enclosed in double quotes", this.place);
        }
        const key = this.string();
        this.skip();
        if (!this.took(":")) throw this.error("Expecting ':' delimiter", this.place);
        this.skip();
        entries.push([key, this.value()]);
        if (this.isAtEnd("}")) break;
      }
    }
    this.leave();
    if (new Set(entries.map(([key]) => key)).size < entries.length) throw new JsonError("a key appears twice");
    return new Members(entries);
  }

  private array(): Json[] {
    const items: Json[] = [];
    this.enter();
    if (this.text[this.place] !== "]") {
      do items.push(this.value());
      while (!this.isAtEnd("]"));
    }
    this.leave();
    return items;
  }

  private enter(): void {
    if (++this.depth > MAX_DEPTH) throw new NestingError();
    this.place++;
    this.skip();
  }

  private leave(): void {
    this.place++;
    this.depth--;
  }

  /** Whether the list or object ends behind the item just read; otherwise moves to the next item. */
  private isAtEnd(bracket: string): boolean {
    this.skip();
    if (this.text[this.place] === bracket) return true;
    if (!this.took(",")) throw this.error("Expecting ',' delimiter", this.place);
    this.skip();
    return false;
  }

  private string(): string {
    const { text } = this;
    const begin = this.place;
    let parts = "";
    for (let start = begin + 1; ; ) {
      let end = start;
      for (; end < text.length && text[end] !== '"' && text[end] !== "\\"; end++) {
        if (text.charCodeAt(end) <= 0x1f) throw this.error("Invalid control character at", end);
      }
      if (end >= text.length) throw this.error("Unterminated string starting at", begin);
      parts += text.slice(start, end);
      if (text[end] === '"') {
        this.place = end + 1;
        return parts;
      }
      if (end + 1 === text.length) throw this.error("Unterminated string starting at", begin);
      [parts, start] = [parts + this.escape(end), text[end + 1] === "u" ? end + 6 : end + 2];
    }
  }

  private escape(place: number): string {
    const character = this.text[place + 1] ?? "";
    if (character !== "u") {
      const found = ESCAPED[character];
      if (found === undefined) throw this.error("Invalid \\escape", place);
      return found;
    }
    const digits = this.text.slice(place + 2, place + 6);
    if (place + 6 >= this.text.length || !/^[0-9a-fA-F]{4}$/.test(digits)) {
      throw this.error("Invalid \\uXXXX escape", place + 1);
    }
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  private number(): number | bigint | Float {
    NUMBER.lastIndex = this.place;
    const found = NUMBER.exec(this.text);
    if (!found) throw this.error("Expecting value", this.place);
    const [all, whole = "", fraction, exponent] = found;
    this.place += all.length;
    if (fraction || exponent) return new Float(Number(all));
    const digits = whole.replace("-", "").length;
    if (digits > MAX_DIGITS) {
      throw new JsonError(
        `Exceeds the limit (${MAX_DIGITS} digits) for integer string conversion: value has ${digits} digits; ` +
          "use sys.set_int_max_str_digits() to increase the limit",
      );
    }
    const value = Number(whole) || 0; // no -0: Python's whole numbers have none
    return Number.isSafeInteger(value) ? value : BigInt(whole);
  }

  private took(text: string): boolean {
    if (!this.text.startsWith(text, this.place)) return false;
    this.place += text.length;
    return true;
  }

  private skip(): void {
    while (" \t\n\r".includes(this.text[this.place] ?? "?")) this.place++;
  }

  private error(problem: string, place: number): JsonError {
    const before = this.text.slice(0, place);
    const line = before.split("\n");
    const column = length(line.at(-1) ?? "") + 1;
    return new JsonError(`${problem}: line ${line.length} column ${column} (char ${length(before)})`);
  }
}
