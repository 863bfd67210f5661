/** The known word that a misspelt one probably means. */

import { length } from "./codepoint.js";

export const MAX_LENGTH = 40; // a longer word is no typing error, and comparing it would take long
const MOST_COMPARED = 4096; // known words looked at for an unknown one: some milliseconds at most

interface Prepared {
  readonly place: number;
  readonly word: string;
  readonly size: number;
  readonly folded: readonly string[];
}

/** Known words, prepared once for many searches. */
export class Suggestions {
  private readonly ofLength = new Map<number, Prepared[]>();
  private readonly ofStart = new Map<string, Prepared[]>();

  constructor(known: Iterable<string>) {
    let place = 0;
    for (const word of known) {
      const folded = [...casefold(word)];
      const entry = { place: place++, word, size: length(word), folded };
      add(this.ofLength, folded.length, entry);
      add(this.ofStart, startKey(folded.length, folded), entry);
    }
  }

  /** The closest known word: equal but for case, or at most 2 edits (1 in short words) away; the first of equals. */
  nearest(word: string): string | null {
    const size = length(word);
    if (size > MAX_LENGTH) return null;
    const folded = [...casefold(word)];
    const bound = size > 3 ? 3 : 2;
    let best: Prepared | null = null;
    let least = bound;
    for (const known of this.candidates(folded, bound)) {
      const distance = edits(folded, known.folded, bound);
      if (distance >= Math.min(bound, known.size)) continue;
      if (distance < least || (distance === least && best && known.place < best.place)) {
        [best, least] = [known, distance];
      }
    }
    return best?.word ?? null;
  }

  /** Words of about this length; of very many, those that begin alike: few mistype the first letter. */
  private candidates(folded: readonly string[], bound: number): Prepared[] {
    const sizes = Array.from({ length: 2 * bound - 1 }, (_, place) => folded.length - bound + 1 + place);
    let found = sizes.flatMap((size) => this.ofLength.get(size) ?? []);
    if (found.length > MOST_COMPARED) {
      found = sizes.flatMap((size) => this.ofStart.get(startKey(size, folded)) ?? []);
    }
    return found.slice(0, MOST_COMPARED);
  }
}

/** Python's `str.casefold`, which JavaScript lacks. */
export function casefold(text: string): string {
  let folded = "";
  for (const character of text) folded += foldOne(character);
  return folded;
}

/** Upper, then lower case; except for what the Unicode tables of folding say otherwise. */
function foldOne(character: string): string {
  if (character === "ı" || /[\u13a0-\u13f5]/.test(character)) return character;
  if (/[\u13f8-\u13fd\uab70-\uabbf]/.test(character)) return character.toUpperCase(); // Cherokee
  return character === "ẞ" ? "ss" : character.toUpperCase().toLowerCase();
}

/** Insertions, deletions, substitutions and swaps of neighbours; `enough` if there are that many. */
function edits(left: readonly string[], right: readonly string[], enough: number): number {
  let older: number[] = [];
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, place) => place);
  for (const [i, letter] of left.entries()) {
    [older, before, row] = [before, row, [i + 1]];
    for (const [j, other] of right.entries()) {
      let cost = Math.min(before[j]! + (letter === other ? 0 : 1), before[j + 1]! + 1, row[j]! + 1);
      if (i && j && letter === right[j - 1] && left[i - 1] === other) cost = Math.min(cost, older[j - 1]! + 1);
      row.push(cost);
    }
    if (Math.min(...row) >= enough && (!before.length || Math.min(...before) >= enough)) return enough;
  }
  return Math.min(row.at(-1)!, enough);
}

function startKey(size: number, folded: readonly string[]): string {
  return `${size} ${folded[0] ?? ""}`;
}

function add<K>(groups: Map<K, Prepared[]>, key: K, entry: Prepared): void {
  const group = groups.get(key);
  if (group) group.push(entry);
  else groups.set(key, [entry]);
}
