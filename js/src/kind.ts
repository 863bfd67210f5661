/** Kinds: which rules may stand in which places, as a program lists them. */

import { ProgramError } from "./errors.js";
import { quoted } from "./literal.js";

/** Rules that stand in the same places and take the same arguments; kinds are numbered from 1. */
export interface RuleKind {
  /** Whether they may translate a whole command. */
  readonly root: boolean;
  /** For each variable, the kinds of the rules that may give its value, ascending. */
  readonly slots: readonly (readonly number[])[];
  /** Their spans, in the order of the rules. */
  readonly spans: readonly string[];
}

/** The kind of each learned rule, by its span with every variable as `$`; `spans` has those of all rules. */
export function checkKinds(
  kinds: readonly RuleKind[],
  spans: ReadonlyMap<string, { place: number; plain: string; variables: number }>,
): Map<string, number> {
  const kindOf = new Map<string, number>();
  let first = -1;
  for (const [index, kind] of kinds.entries()) {
    const here = `kinds[${index}]`;
    const unknown = kind.spans.find((span) => !spans.has(span));
    if (unknown !== undefined) throw new ProgramError(here, `no rule for ${quoted(unknown)}`);
    const found = kind.spans.map((span) => spans.get(span)!);
    if (!found.length) throw new ProgramError(here, "has no spans");
    if (!isAscending(found.map(({ place }) => place)) || found[0]!.place <= first) {
      throw new ProgramError(here, "is out of order or repeats a span");
    }
    first = found[0]!.place;
    for (const [place, { plain, variables }] of found.entries()) {
      if (kindOf.has(plain) || variables !== kind.slots.length) {
        throw new ProgramError(here, `${quoted(kind.spans[place]!)} is in two kinds, or has not one slot a variable`);
      }
      kindOf.set(plain, index + 1);
    }
    for (const slot of kind.slots) {
      if (!isAscending(slot) || slot.some((number) => number < 1 || number > kinds.length)) {
        throw new ProgramError(here, "a slot is out of order, or names a kind that does not exist");
      }
    }
  }
  return kindOf;
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, place) => place === 0 || number > numbers[place - 1]!);
}
