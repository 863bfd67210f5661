/** Whether a derivation stays within what was learned; and if not, where it leaves it. */

import type { Composition } from "./composer.js";
import { NOT_LEARNED } from "./errors.js";
import type { RuleKind } from "./kind.js";
import { quoted } from "./literal.js";
import type { Failure } from "./results.js";
import { nameVariables, SOURCE_NAMES } from "./rule.js";
import type { Tables } from "./tables.js";

export const UNKNOWN = 0; // the kind of a rule that no training pair needed
const SHOWN = 3; // learned alternatives in a message, which is one line
const MOST_WORDS = 8; // of a command quoted in a message

/** A place where a derivation leaves what was learned. */
export interface Stray {
  /** The value at fault: i < n is word i, n + k is reduction k. */
  readonly value: number;
  /** The value whose rule takes it in a variable where its kind was never met. */
  readonly taker: number | null;
  /** Which variable of that rule has the value. */
  readonly slot: number;
  /** Its kind was never met as a whole command. Without this and a taker, its own rule was not learned. */
  readonly isRoot: boolean;
}

/** All departures of a derivation, in its order; `ofWords` has the kinds of the recognised words. */
export function* departures(
  tables: Tables,
  kinds: readonly RuleKind[],
  composition: Composition,
  ofWords: readonly number[],
): Generator<Stray> {
  const found = ofWords.slice();
  for (const { node, reads } of composition.reductions) {
    const value = found.length;
    const kind = tables.kindOf.get(tables.span(node)) ?? UNKNOWN;
    found.push(kind);
    if (kind === UNKNOWN) {
      yield stray(value);
      continue;
    }
    for (const [slot, read] of reads.entries()) {
      const given = found[read]!;
      const isAllowed = kinds[kind - 1]!.slots[slot]!.includes(given);
      // An unknown reduction was reported at its own place.
      if (!isAllowed && (given !== UNKNOWN || read < ofWords.length)) yield { ...stray(read), taker: value, slot };
    }
  }
  const last = found.length - 1;
  if (found[last] === UNKNOWN) {
    if (last < ofWords.length) yield stray(last);
  } else if (!kinds[found[last]! - 1]!.root) {
    yield { ...stray(last), isRoot: true };
  }
}

function stray(value: number): Stray {
  return { value, taker: null, slot: 0, isRoot: false };
}

/** The failure of a command whose derivation left what was learned. */
export function notLearned(
  tables: Tables,
  kinds: readonly RuleKind[],
  composition: Composition,
  words: readonly string[],
  departure: Stray,
  positions?: readonly number[],
): Failure {
  const { value, taker, slot, isRoot } = departure;
  const reduction = composition.reductions[value - words.length];
  const [start, stop] = reduction ? [reduction.start, reduction.stop] : [value, value + 1];
  const span = reduction ? tables.spans[reduction.node]! : [words[value]!];
  const [first, last] = [positions?.[start] ?? start + 1, positions?.[stop - 1] ?? stop];
  const where = stop === start + 1 ? `word ${first}` : `words ${first} to ${last}`;
  const part = `${cut(words.slice(start, stop))} (${where})`;
  let near: string[];
  let problem: string;
  if (isRoot) {
    near = kinds.filter((kind) => kind.root).map((kind) => kind.spans[0]!);
    problem = `${part} as a whole command; learned as such: ${listed(near)}`;
  } else if (taker === null) {
    near = [nearest(span, kinds.flatMap((kind) => kind.spans))];
    const rule = cut(nameVariables(span));
    problem = `${part}: no training pair needed a rule for ${rule}; the nearest one: ${listed(near)}`;
  } else {
    const taking = tables.spans[composition.reductions[taker - words.length]!.node]!;
    const kind = kinds[tables.kindOf.get(taking.join(" "))! - 1]!;
    near = kind.slots[slot]!.map((number) => kinds[number - 1]!.spans[0]!);
    problem = `${part} as ${SOURCE_NAMES[slot]} of ${cut(nameVariables(taking))}; learned there: ${listed(near)}`;
  }
  return {
    code: NOT_LEARNED,
    message: `not learned: ${problem}`,
    word: words[start]!,
    position: first,
    nearest: near[0] ?? null,
  };
}

/** The learned span that shares most tokens with `span`; of equals the one of nearest length. */
function nearest(span: readonly string[], learned: readonly string[]): string {
  const own = nameVariables(span);
  let best = "";
  let most: readonly [number, number] = [-1, 0];
  for (const candidate of learned) {
    const tokens = candidate.split(" ");
    const order = [shared(own, tokens), -Math.abs(tokens.length - span.length)] as const;
    if (order[0] > most[0] || (order[0] === most[0] && order[1] > most[1])) [best, most] = [candidate, order];
  }
  return best;
}

/** How many tokens two spans have in common, repetitions counted. */
function shared(left: readonly string[], right: readonly string[]): number {
  const rest = right.slice();
  return left.filter((token) => rest.includes(token) && rest.splice(rest.indexOf(token), 1)).length;
}

function cut(words: readonly string[]): string {
  return quoted(words.slice(0, MOST_WORDS).join(" ") + (words.length > MOST_WORDS ? " ..." : ""));
}

function listed(spans: readonly string[]): string {
  return spans.slice(0, SHOWN).map(quoted).join(", ") + (spans.length > SHOWN ? ", ..." : "");
}
