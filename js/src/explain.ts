/** Replays a command through the Composer and the Memory, keeping every step. */

import type { Composition, Reduction } from "./composer.js";
import type { Step } from "./derivation.js";
import { Memory } from "./memory.js";
import { nameVariables } from "./rule.js";
import type { Values } from "./substitution.js";
import type { Tables } from "./tables.js";

/** The steps of a derivation; `departed` has the values that leave what was learned. */
export function stepsOf(
  tables: Tables,
  words: readonly string[],
  composition: Composition,
  values: Values,
  departed: ReadonlySet<number>,
): Step[] {
  const recorder = new Recorder(tables, words, values, departed);
  for (const [place, word] of words.entries()) if (tables.leafOf.get(word) === 0) recorder.addWord(place);
  const end = values.overflow ?? composition.reductions.length;
  for (const [number, reduction] of composition.reductions.slice(0, end).entries()) {
    recorder.addReduction(words.length + number, reduction);
  }
  return recorder.steps;
}

/** Gives every value its step and its slot. */
class Recorder {
  readonly steps: Step[] = [];
  private readonly memory = new Memory();
  private readonly stepOf = new Map<number, Step>(); // by value
  private readonly pairOf = new Map<number, [number, number]>();

  constructor(
    private readonly tables: Tables,
    private readonly words: readonly string[],
    private readonly values: Values,
    private readonly departed: ReadonlySet<number>,
  ) {
    if (words.length < 2) return;
    const { stride } = tables;
    for (const [key, { node }] of tables.pairs) this.pairOf.set(node, [Math.floor(key / stride), key % stride]);
  }

  addWord(place: number): void {
    const word = this.words[place]!;
    this.add(place, word, word, place, place + 1, []);
  }

  addReduction(value: number, { node, start, stop, reads }: Reduction): void {
    const names = nameVariables(this.tables.spans[node]!).reverse();
    this.add(value, this.tables.span(node), this.bracket(node, names), start, stop, reads);
  }

  private add(value: number, span: string, node: string, start: number, stop: number, reads: readonly number[]): void {
    const parts = reads.map((read) => this.stepOf.get(read)!);
    for (const part of parts) this.memory.free(part.slot);
    const step: Step = {
      number: this.steps.length + 1,
      rule: this.tables.ruleOf.get(span)!,
      node,
      start,
      stop,
      parts: parts.map((part) => part.number),
      reads: parts.map((part) => part.slot),
      slot: this.memory.store(),
      length: this.values.lengths[value]!,
      value: this.values.pieces[value]!,
      learned: !this.departed.has(value),
    };
    this.steps.push(step);
    this.stepOf.set(value, step);
  }

  /** `((walk around) $x)`: the leaves take their names from the end of `names`. */
  private bracket(node: number, names: string[]): string {
    const pair = this.pairOf.get(node);
    if (!pair) return names.pop()!;
    return `(${this.bracket(pair[0], names)} ${this.bracket(pair[1], names)})`;
  }
}
