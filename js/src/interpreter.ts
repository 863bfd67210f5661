/** Runs a program: tokens in, tokens out. Schemes are the translator's business. */

import { MAX_OUTPUT_BYTES } from "./bounds.js";
import type { Program } from "./codec.js";
import type { Composition } from "./composer.js";
import { compose } from "./composer.js";
import type { Derivation } from "./derivation.js";
import { stepsOf } from "./explain.js";
import { Failures } from "./failures.js";
import type { Heard } from "./hearing.js";
import type { Plan } from "./plan.js";
import { PlanCache, planOf } from "./plan.js";
import type { Stray } from "./refusal.js";
import { departures, notLearned, UNKNOWN } from "./refusal.js";
import type { Failure, Translation } from "./results.js";
import { Answer, refused } from "./results.js";
import type { Values } from "./substitution.js";
import { evaluate, writeOut } from "./substitution.js";
import { Tables } from "./tables.js";

const MAX_SHAPE = 64; // words: longer commands seldom repeat their shape

/** What the fast path needs of a word. */
interface Known {
  /** Of its leaf and kind; the sorts of a command's words make up the key of its shape. */
  readonly sort: string;
  readonly text: string;
}

/** A command that was typed word by word. */
function plainly(words: readonly string[]): Heard {
  return {
    words: [...words],
    values: words.map(() => null),
    shown: [...words],
    positions: words.map((_, place) => place + 1),
    slots: [],
  };
}

/** Translates with a program; immutable but for caches. */
export class Interpreter {
  private readonly tables: Tables;
  private readonly failures: Failures;
  private readonly known = new Map<string, Known>();
  private readonly plans = new PlanCache();
  private readonly longest: number;

  constructor(
    private readonly program: Program,
    private readonly lenient: boolean,
  ) {
    this.tables = new Tables(program);
    const { max_words, max_actions } = program.limits;
    this.failures = new Failures(this.tables.leafOf, max_words, max_actions);
    for (const [word] of program.words) {
      const sort = `${this.tables.leafOf.get(word)}.${this.kindOf(word)} `;
      this.known.set(word, { sort, text: this.value(word).join(" ") });
    }
    this.longest = program.words.reduce((most, [word]) => Math.max(most, this.value(word).length), 0);
  }

  /** The answer to a command: the plan of its shape, filled in. */
  translate(words: readonly string[]): Translation {
    const { known } = this;
    let shape = "";
    for (const word of words) {
      const found = known.get(word);
      if (!found) return refused(this.failures.ofCommand(words)!);
      shape += found.sort;
    }
    const plan = this.plans.find(shape) ?? this.newPlan(words, shape);
    if (!plan) return this.translateDirectly(words);
    let text = "";
    for (const piece of plan) {
      if (text) text += " ";
      text += typeof piece === "string" ? piece : known.get(words[piece]!)!.text;
    }
    return new Answer(text);
  }

  /** The derivation of a command. */
  explain(words: readonly string[]): Derivation {
    const failure = this.failures.ofCommand(words);
    if (failure) return { words, steps: [], text: "", error: failure, slots: [] };
    return this.derivation(plainly(words));
  }

  /** The answer to a command with texts in its slots. */
  translateHeard(heard: Heard): Translation {
    const [composition, values] = this.derive(heard);
    const error = this.problem(heard, composition, values);
    return error ? refused(error) : new Answer(writeOut(values.pieces.at(-1)!));
  }

  /** The derivation of a command with texts in its slots. */
  explainHeard(heard: Heard): Derivation {
    return this.derivation(heard);
  }

  private derivation(heard: Heard): Derivation {
    const { words, slots } = heard;
    const [composition, values] = this.derive(heard);
    const error = this.problem(heard, composition, values);
    const strays = values.overflow === null && !composition.gap ? this.strays(words, composition) : [];
    const departed = new Set(Array.from(strays, ({ value }) => value));
    const steps = stepsOf(this.tables, words, composition, values, departed);
    return { words, steps, text: error ? "" : writeOut(values.pieces.at(-1)!), error, slots };
  }

  private translateDirectly(words: readonly string[]): Translation {
    const failure = this.failures.ofCommand(words);
    return failure ? refused(failure) : this.translateHeard(plainly(words));
  }

  private derive(heard: Heard): [Composition, Values] {
    const { words, values } = heard;
    const composition = compose(this.tables, this.leaves(words));
    const texts = words.map((word, place) => values[place] ?? this.known.get(word)!.text);
    const lengths = words.map((word) => this.value(word).length);
    return [composition, evaluate(this.tables, composition, texts, lengths, this.limit(heard))];
  }

  /** The most actions of a value: fewer where they may be very many and texts of slots are long. */
  private limit({ values }: Heard): number {
    const longest = values.reduce((most, value) => Math.max(most, (value?.length ?? 0) + 1), 1);
    return Math.min(this.tables.limits.max_actions, Math.floor(MAX_OUTPUT_BYTES / longest));
  }

  /** Why a derivation has no output: an overflow, a gap, or that it leaves what was learned. */
  private problem(heard: Heard, composition: Composition, values: Values): Failure | null {
    const { words, shown, positions } = heard;
    if (values.overflow !== null) {
      const { start } = composition.reductions[values.overflow]!;
      return this.failures.tooLong(shown[start]!, positions[start]!, this.limit(heard));
    }
    if (composition.gap) {
      const { start } = composition.gap;
      return this.failures.beyond(this.tables, shown[start]!, positions[start]!, composition.gap);
    }
    const departure = this.refusal(words, composition);
    return departure && notLearned(this.tables, this.program.kinds ?? [], composition, shown, departure, positions);
  }

  /** The plan of a shape, cached; null if it has none: it fails, or could overflow. */
  private newPlan(words: readonly string[], shape: string): Plan | null {
    if (!words.length || words.length > Math.min(MAX_SHAPE, this.tables.limits.max_words)) return null;
    const composition = compose(this.tables, this.leaves(words));
    if (composition.gap || this.refusal(words, composition)) return null;
    const longest = words.map(() => this.longest);
    const values = evaluate(this.tables, composition, [...words.keys()], longest);
    const plan = values.overflow === null ? planOf(values.pieces.at(-1)!) : null;
    if (plan) this.plans.add(shape, plan);
    return plan;
  }

  /** The first place where a derivation leaves what was learned, if that is refused. */
  private refusal(words: readonly string[], composition: Composition): Stray | null {
    if (this.lenient) return null;
    for (const found of this.strays(words, composition)) return found;
    return null;
  }

  private strays(words: readonly string[], composition: Composition): Iterable<Stray> {
    const { kinds } = this.program;
    if (!kinds) return [];
    return departures(this.tables, kinds, composition, words.map((word) => this.kindOf(word)));
  }

  private leaves(words: readonly string[]): number[] {
    return words.map((word) => this.tables.leafOf.get(word)!);
  }

  private kindOf(word: string): number {
    return this.tables.leafOf.get(word) === 0 ? (this.tables.kindOf.get(word) ?? UNKNOWN) : UNKNOWN;
  }

  private value(word: string): readonly string[] {
    return this.tables.valueOf.get(word) ?? [];
  }
}
