/** Slots of a language: `{number}`, `{room}` or `{text}`, and what fills one. base/placeholder.py says more. */

import { compare, length, splitWords } from "./codepoint.js";
import type { Json } from "./json.js";
import { SchemeError } from "./phrase.js";
import { decodeAnyway } from "./utf8.js";

export const NUMBER = "number"; // a slot of this name takes numbers
export const TEXT = "text"; // and one of this name free text; any other takes the entries of its list
const MOST = 100; // slots of a language, and words to skip
const LONGEST = 256; // characters of a word to skip
const NAME = /^[a-z][a-z0-9_-]{0,31}$/;
const SLOT = /\{([a-z][a-z0-9_-]{0,31})\}/g;
const FILLED = /^\{([a-z][a-z0-9_-]{0,31}):((?:[A-Za-z0-9._~-]|%[0-9A-F]{2})+)\}$/;
const BEGINS = /^\{[a-z]/;

/** The word of a slot in rules: `{room}`. */
export function placeholder(name: string): string {
  return `{${name}}`;
}

/** Whether a token could be taken for a slot, or for the text of one. */
export function beginsLikeSlot(token: string): boolean {
  return BEGINS.test(token);
}

/** The text with values in place of slots; slots without one stay. */
export function replaced(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(SLOT, (slot: string, name: string) => values.get(name) ?? slot);
}

/** The token of a slot's text in an output. It is escaped as in URLs, and holds no blank and no brace. */
export function filled(name: string, text: string): string {
  const escaped = encodeURIComponent(text).replace(/[!'()*]/g, (sign) => {
    return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `{${name}:${escaped}}`;
}

/** The slot and the text of an action that `filled` made; null for any other action. */
export function slotText(action: string): { name: string; text: string } | null {
  const found = FILLED.exec(action);
  if (!found) return null;
  const bytes = found[2]!.match(/%..|./g)!.map((part) => {
    return part.length === 3 ? Number.parseInt(part.slice(1), 16) : part.charCodeAt(0);
  });
  return { name: found[1]!, text: decodeAnyway(Uint8Array.from(bytes)) };
}

/** Names of slots as they are read from a file; a SchemeError if they are malformed. */
export function checkedSlots(names: Json): string[] {
  if (!Array.isArray(names) || names.length > MOST) throw new SchemeError(`slots: not a list of at most ${MOST}`);
  if (!names.every((name) => typeof name === "string" && NAME.test(name))) {
    throw new SchemeError("slots: a name is a small letter, then at most 31 of a-z, 0-9, _ and -");
  }
  if (!isAscending(names as string[])) throw new SchemeError("slots: are out of order or repeated");
  return names as string[];
}

/** Words to skip as they are read from a file; a SchemeError if they are malformed. */
export function checkedSkips(words: Json): string[] {
  if (!Array.isArray(words) || words.length > MOST) throw new SchemeError(`skips: not a list of at most ${MOST}`);
  if (!words.every((word) => typeof word === "string" && splitWords(word)[0] === word && length(word) <= LONGEST)) {
    throw new SchemeError(
      `skips: words have at most ${LONGEST} characters, are not empty and hold no white space`,
    );
  }
  if (!isAscending(words as string[])) throw new SchemeError("skips: are out of order or repeated");
  return words as string[];
}

function isAscending(names: readonly string[]): boolean {
  return names.every((name, place) => place === 0 || compare(names[place - 1]!, name) < 0);
}
