/** Substitution: the values of the variables of a derivation, shared instead of copied. */

import type { Composition } from "./composer.js";
import type { Tables } from "./tables.js";

/** A run of actions, the number of an input word, or a list of pieces. */
export type Piece = number | string | readonly Piece[];

/** The value of every word, then of every reduction; and how many actions each has. */
export interface Values {
  readonly pieces: readonly Piece[];
  readonly lengths: readonly number[];
  /** The first reduction whose value is longer than the program allows; there the lists end. */
  readonly overflow: number | null;
}

/** The values of a derivation, given those of its words and their lengths. */
export function evaluate(
  tables: Tables,
  composition: Composition,
  words: readonly Piece[],
  ofWords: readonly number[],
  limit: number = tables.limits.max_actions,
): Values {
  const pieces = words.slice();
  const lengths = ofWords.slice();
  for (const [number, { node, reads }] of composition.reductions.entries()) {
    const template = tables.template(node)!; // the Composer gives no reduction without a rule
    let size = template.constants;
    for (const [place, count] of template.counts.entries()) size += lengths[reads[place]!]! * count;
    // Before anything is written out: `twice` a hundred times is 2**100 actions.
    if (size > limit) return { pieces, lengths, overflow: number };
    lengths.push(size);
    const filled = template.pieces.map((piece) => (typeof piece === "string" ? piece : pieces[reads[piece]!]!));
    // A single piece is not nested, so that the time of writing out grows with the output alone.
    pieces.push(filled.length === 1 ? filled[0]! : filled);
  }
  return { pieces, lengths, overflow: null };
}

/** The pieces of a value from left to right; no recursion, since values nest as deep as commands. */
export function* flatten(value: Piece): Generator<number | string> {
  const stack: Piece[] = [value];
  for (let piece = stack.pop(); piece !== undefined; piece = stack.pop()) {
    if (typeof piece === "object") stack.push(...[...piece].reverse());
    else yield piece;
  }
}

/** The actions of a value whose words are known, joined by spaces. */
export function writeOut(value: Piece): string {
  return [...flatten(value)].join(" ");
}
