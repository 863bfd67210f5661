/** Entries: the lists that an application gives for slots, such as its rooms or contacts. */

import { MAX_TEXT_LENGTH } from "./bounds.js";
import { length, splitWords } from "./codepoint.js";
import { placeholder } from "./placeholder.js";

const MOST = 100_000; // entries of a list
export const MOST_WORDS = 16; // of an entry
const BETWEEN = "\n"; // stands between the keys of an entry: no word holds it

/** The entries of a slot by their keys, the words that a command must hold. It is never changed. */
export class Entries {
  /** By first key: the numbers of keys that entries have, the largest first. */
  private readonly lengths = new Map<string, number[]>();

  constructor(private readonly textOf: ReadonlyMap<string, string>) {
    for (const joined of textOf.keys()) {
      const keys = joined.split(BETWEEN);
      const sizes = this.lengths.get(keys[0]!);
      if (!sizes) this.lengths.set(keys[0]!, [keys.length]);
      else if (!sizes.includes(keys.length)) sizes.push(keys.length);
    }
    for (const sizes of this.lengths.values()) sizes.sort((left, right) => right - left);
  }

  /** The entry of the most keys from `start` on, and before `stop`. */
  longest(keys: readonly string[], start: number, stop: number): { size: number; text: string } | null {
    for (const size of this.lengths.get(keys[start]!) ?? []) {
      if (start + size > stop) continue;
      const text = this.textOf.get(keyOf(keys.slice(start, start + size)));
      if (text !== undefined) return { size, text };
    }
    return null;
  }

  /** The entries as the application gave them. */
  get texts(): readonly string[] {
    return [...this.textOf.values()];
  }
}

/** The key of an entry from those of its words. */
export function keyOf(keys: readonly string[]): string {
  return keys.join(BETWEEN);
}

/** The entries with single blanks between their words; TypeError or RangeError names a wrong one. */
export function checkedEntries(name: string, entries: Iterable<string>): string[] {
  const word = placeholder(name);
  if (typeof entries === "string" || typeof entries?.[Symbol.iterator] !== "function") {
    throw new TypeError(`the list of ${word} is of type ${typeof entries}, but must hold texts`);
  }
  const found: string[] = [];
  for (const entry of entries) {
    const number = found.length + 1;
    if (typeof entry !== "string") {
      throw new TypeError(`entry ${number} of ${word} is of type ${typeof entry}, but must be a string`);
    }
    if (number > MOST) throw new RangeError(`the list of ${word} has more than ${MOST} entries`);
    const text = splitWords(entry).join(" ");
    if (!text || length(text) > MAX_TEXT_LENGTH) {
      throw new RangeError(`entry ${number} of ${word} is empty, or longer than ${MAX_TEXT_LENGTH} characters`);
    }
    found.push(text);
  }
  return found;
}
