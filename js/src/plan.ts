/**
 * Plans: the derivation of a shape of command, compiled once.
 *
 * After the recognised words have become variables, the sorts of the words alone determine the derivation, and
 * many commands share them: `jump twice` and `walk twice` are both `$ twice`.
 */

import type { Piece } from "./substitution.js";
import { flatten } from "./substitution.js";

const MAX_PIECES = 1024;
const MAX_CACHED = 200_000; // pieces in one generation: some 10 MB

/** Word numbers and constants; their concatenation is the output of a shape. */
export type Plan = readonly (number | string)[];

/** Plans by shape, bounded, in two generations: plans that are used again move to the young one. */
export class PlanCache {
  private young = new Map<string, Plan>();
  private old = new Map<string, Plan>();
  private size = 0;

  find(shape: string): Plan | undefined {
    const plan = this.young.get(shape);
    if (plan) return plan;
    const aged = this.old.get(shape);
    if (aged) this.add(shape, aged);
    return aged;
  }

  add(shape: string, plan: Plan): void {
    this.size += plan.length + shape.length;
    if (this.size > MAX_CACHED) {
      [this.old, this.young, this.size] = [this.young, new Map(), plan.length + shape.length];
    }
    this.young.set(shape, plan);
  }
}

/** The plan with this value, whose words are numbers; null if it is long. */
export function planOf(value: Piece): Plan | null {
  const pieces: (number | string)[] = [];
  for (const piece of flatten(value)) if (pieces.push(piece) > MAX_PIECES) return null;
  return pieces;
}
