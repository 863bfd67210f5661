/** The Composer's greedy loop over a program's tables: which spans are translated, in which order. */

import { Heap } from "./heap.js";
import type { Tables } from "./tables.js";

/** A recognised span: translated by its rule and replaced by a variable. */
export interface Reduction {
  readonly node: number;
  /** The first word it covers. */
  readonly start: number;
  /** One past the last word it covers. */
  readonly stop: number;
  /** The values of its variables: i < n is the value of word i, n + k the value of reduction k. */
  readonly reads: readonly number[];
}

/** A pair, or a root, that the tables do not hold: the loop ends there. */
export interface Gap {
  readonly start: number;
  readonly left: number;
  /** null: `left` is the root and has no rule. */
  readonly right: number | null;
}

/** The derivation without its values: it depends on the leaves alone. */
export interface Composition {
  readonly reductions: readonly Reduction[];
  readonly gap: Gap | null;
}

const NO_PAIR = -1; // no entry of the heap

/** Merge the pair of highest rank, leftmost on a tie, until one variable is left: O(n log n). */
export function compose(tables: Tables, leaves: readonly number[]): Composition {
  return leaves.length === 1 ? single(tables, leaves[0]!) : new Merging(tables, leaves).run();
}

/** A command of one word: either recognised, or the root, which always counts as recognised. */
function single(tables: Tables, leaf: number): Composition {
  if (leaf === 0) return { reductions: [], gap: null };
  if (!tables.template(leaf)) return { reductions: [], gap: { start: 0, left: leaf, right: null } };
  return { reductions: [{ node: leaf, start: 0, stop: 1, reads: [] }], gap: null };
}

/**
 * Items are a linked list, identified by the position of their first word. The heap holds pairs, each as one
 * number: priority * n + start. An entry is stale once the pair that starts there has another number; an
 * equal number means the same rank and place, so it is valid either way.
 */
class Merging {
  private readonly count: number;
  private readonly items: number[];
  private readonly reads: (readonly number[])[];
  private readonly after: number[];
  private readonly before: number[];
  private readonly entry: number[];
  private readonly merged: number[];
  private readonly heap: Heap;
  private readonly reductions: Reduction[] = [];

  constructor(
    private readonly tables: Tables,
    leaves: readonly number[],
  ) {
    this.count = leaves.length;
    this.items = leaves.slice();
    this.reads = leaves.map((leaf, place) => (leaf ? [] : [place]));
    this.after = leaves.map((_, place) => place + 1); // `count` is past the end
    this.before = leaves.map((_, place) => place - 1);
    this.entry = leaves.map(() => NO_PAIR);
    this.merged = leaves.map(() => 0);
    this.heap = new Heap();
  }

  run(): Composition {
    for (let start = 0; start + 1 < this.count; start++) {
      const gap = this.pair(start, start + 1);
      if (gap) return { reductions: this.reductions, gap };
    }
    for (let remaining = this.count - 1; remaining > 0; remaining--) {
      const gap = this.merge(remaining === 1);
      if (gap) return { reductions: this.reductions, gap };
    }
    return { reductions: this.reductions, gap: null };
  }

  /** Queue the pair of two neighbours; a gap if the tables do not hold it. */
  private pair(start: number, right: number): Gap | null {
    const [left, next] = [this.items[start]!, this.items[right]!];
    const found = this.tables.pairs.get(left * this.tables.stride + next);
    if (!found) return { start, left, right: next };
    const number = found.priority * this.count + start;
    this.entry[start] = number;
    this.merged[start] = found.node;
    this.heap.push(number);
    return null;
  }

  private merge(isLast: boolean): Gap | null {
    const { count, items, reads, after, before, entry } = this;
    const start = this.first();
    const right = after[start]!;
    const beyond = after[right]!;
    let node = this.merged[start]!;
    after[start] = beyond;
    entry[start] = entry[right] = NO_PAIR;
    reads[start] = [...reads[start]!, ...reads[right]!];
    if (this.tables.recognized[node] || isLast) {
      if (!this.tables.template(node)) return { start, left: node, right: null };
      this.reductions.push({ node, start, stop: beyond, reads: reads[start]! });
      node = 0;
      reads[start] = [count + this.reductions.length - 1];
    }
    items[start] = node;
    const previous = before[start]!;
    const gap = previous >= 0 ? this.pair(previous, start) : null;
    if (gap || beyond >= count) return gap;
    before[beyond] = start;
    return this.pair(start, beyond);
  }

  /** The start of the next pair to merge. */
  private first(): number {
    for (;;) {
      const number = this.heap.pop();
      if (this.entry[number % this.count] === number) return number % this.count;
    }
  }
}
