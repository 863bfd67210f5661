/** The public interface of a loaded model. */

import type { Program } from "./codec.js";
import { decode } from "./codec.js";
import { splitWords } from "./codepoint.js";
import type { Derivation } from "./derivation.js";
import type { Entries } from "./entries.js";
import { BEYOND_MODEL, NOT_LEARNED, ProgramError, UNKNOWN_WORD } from "./errors.js";
import type { Heard } from "./hearing.js";
import { Hearing, isFailure, withHint } from "./hearing.js";
import { Interpreter } from "./interpreter.js";
import { quoted } from "./literal.js";
import { NUMBER, placeholder, TEXT } from "./placeholder.js";
import type { Failure, Info, Translation } from "./results.js";
import { refused } from "./results.js";
import type { Rule } from "./rule.js";
import { Suggestions } from "./suggestion.js";

const OTHERWISE = [NOT_LEARNED, BEYOND_MODEL]; // such a command may be heard otherwise

/** How to load. */
export interface Options {
  /** Of the file, for messages and `info`. */
  readonly name?: string;
  /** Answer every command of known words, also where its derivation leaves what was learned. */
  readonly lenient?: boolean;
  /** The entries of slots by name, as for `setList`. */
  readonly lists?: Readonly<Record<string, Iterable<string>>>;
}

/** Open the bytes of a `.lane` program; throws ProgramError if they are invalid. It never runs code. */
export function load(data: Uint8Array, options: Options = {}): Translator {
  if (!(data instanceof Uint8Array)) throw new TypeError("data must be a Uint8Array: the bytes of a .lane file");
  const { name = "", lenient = false, lists = {} } = options;
  try {
    const program = decode(data);
    const translator = new Translator(program, new Interpreter(program, lenient), name);
    for (const [slot, entries] of Object.entries(lists)) translator.setList(slot, entries);
    return translator;
  } catch (error) {
    if (error instanceof ProgramError && name) throw new ProgramError(`${name}: ${error.place}`, error.problem);
    throw error;
  }
}

/** Translates commands into actions. The same command always gives the same answer, alone or in a batch. */
export class Translator {
  private readonly hearing: Hearing | null;
  private given: ReadonlyMap<string, Entries> = new Map();

  /** Use `load`. */
  constructor(
    private readonly program: Program,
    private readonly interpreter: Interpreter,
    private readonly name: string,
  ) {
    const { schemes, limits } = program;
    const words = program.words.map(([word]) => word);
    this.hearing = schemes.isSpoken ? new Hearing(schemes, words, limits.max_words, limits.max_actions) : null;
  }

  /** Translate one command, which is split into words by `info.schemes`: at white space, or as text. */
  translate(text: string): Translation {
    requireText("text", text);
    const { schemes } = this.program;
    if (schemes.isPlain) return this.interpreter.translate(splitWords(text));
    if (this.hearing) return this.translateHeard(this.hearing, text);
    const answer = this.interpreter.translate(schemes.read(text));
    if (answer.error) return refused(this.asTyped(text, answer.error));
    return { ok: true, text: schemes.join(answer.actions), error: null, actions: answer.actions, slots: [] };
  }

  private translateHeard(hearing: Hearing, text: string): Translation {
    const { schemes } = this.program;
    const found = this.firstAnswered(hearing, text, (heard) => {
      const answer = this.interpreter.translateHeard(heard);
      if (answer.error) return answer;
      const { actions } = answer;
      return { ok: true, text: schemes.join(actions), error: null, actions, slots: heard.slots };
    });
    return "code" in found ? refused(found) : found;
  }

  /** What `ask` says to the first hearing that it has an answer to, else to the first one; or why there is none. */
  private firstAnswered<T extends { readonly error: Failure | null }>(
    hearing: Hearing,
    text: string,
    ask: (heard: Heard) => T,
  ): T | Failure {
    let first: T | null = null;
    let hint = "";
    for (const heard of hearing.hearings(text, this.given)) {
      if (isFailure(heard)) return heard;
      const answer = ask(heard);
      if (!answer.error) return answer;
      // A refused command may have lost an entry of a list that was not given to free text.
      if (!first && heard.words.includes(placeholder(TEXT))) hint = hearing.missing(this.given);
      first ??= answer;
      if (!OTHERWISE.includes(first.error!.code)) return first;
    }
    return { ...first!, error: withHint(first!.error!, hint) };
  }

  /**
   * Give the entries of a slot, in place of any given before.
   *
   * Returns those that are never heard: entries of known words alone, which keep their meaning, and those that
   * read like an earlier one. RangeError for a slot that the program does not have.
   */
  setList(name: string, entries: Iterable<string>): string[] {
    if (!this.hearing?.slots.length) throw new RangeError(`no slot ${placeholder(name)}: this model has no slots`);
    if (name === NUMBER || name === TEXT) {
      throw new RangeError(`${placeholder(name)} takes no list: it is filled by any ${name}`);
    }
    const { lists } = this.hearing;
    if (!lists.includes(name)) {
      const nearest = new Suggestions(lists).nearest(name);
      const hint = nearest === null ? "" : `; did you mean ${quoted(nearest)}?`;
      const known = lists.map(placeholder).join(", ") || "none";
      throw new RangeError(`no slot ${placeholder(name)}; those with lists: ${known}${hint}`);
    }
    const [found, idle] = this.hearing.entries(name, entries);
    const all = new Map([...this.given, [name, found]]);
    // In the order of the slots, by which the first of two equal entries is chosen.
    this.given = new Map(lists.filter((slot) => all.has(slot)).map((slot) => [slot, all.get(slot)!]));
    return idle;
  }

  /** The entries of each slot whose list was given, without those that are never heard. */
  get lists(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(Array.from(this.given, ([name, entries]) => [name, entries.texts]));
  }

  /** Translate many commands; answer i is for command i. */
  translateBatch(texts: readonly string[]): Translation[] {
    if (!Array.isArray(texts)) throw new TypeError("texts must be an array of commands");
    texts.forEach((text, place) => requireText(`texts[${place}]`, text));
    return texts.map((text) => this.translate(text));
  }

  /** How a command is translated, step by step. */
  explain(text: string): Derivation {
    requireText("text", text);
    const { schemes } = this.program;
    if (schemes.isPlain) return this.interpreter.explain(splitWords(text));
    if (this.hearing) return this.explainHeard(this.hearing, text);
    const derivation = this.interpreter.explain(schemes.read(text));
    const joined = derivation.text ? schemes.join(derivation.text.split(" ")) : "";
    return { ...derivation, text: joined, error: derivation.error && this.asTyped(text, derivation.error) };
  }

  private explainHeard(hearing: Hearing, text: string): Derivation {
    const { schemes } = this.program;
    const found = this.firstAnswered(hearing, text, (heard) => {
      const derivation = this.interpreter.explainHeard(heard);
      return derivation.error ? derivation : { ...derivation, text: schemes.join(derivation.text.split(" ")) };
    });
    if ("code" in found) return { words: schemes.read(text), steps: [], text: "", error: found, slots: [] };
    return found;
  }

  /** Every rule of the program, in the order of the file. */
  rules(): readonly Rule[] {
    return this.program.rules;
  }

  /** The card of the model: vocabulary, limits, provenance. */
  get info(): Info {
    const { program } = this;
    return {
      name: this.name,
      formatVersion: program.version,
      sha256: program.sha256,
      words: program.words.map(([word]) => word),
      actions: program.actions,
      maxWords: program.limits.max_words,
      maxActions: program.limits.max_actions,
      complete: program.complete,
      nodes: program.nodes.length,
      rules: program.rules.length,
      margin: program.margin,
      agreement: program.agreement,
      refuses: program.kinds !== null,
      provenance: program.provenance,
      schemes: program.schemes,
    };
  }

  /** The failure in the words of the user: the spelling, and the position among words typed. */
  private asTyped(text: string, failure: Failure): Failure {
    if (failure.position === null) return failure;
    const [word, position] = this.program.schemes.typed(text, failure.position);
    // No token holds a blank, so the position stands here only, and before the suggestion.
    let message = replaceFirst(failure.message, `word ${failure.position})`, `word ${position})`);
    if (failure.code === UNKNOWN_WORD) message = replaceFirst(message, quoted(failure.word ?? ""), quoted(word));
    return { ...failure, message, word, position };
  }
}

/** Unlike `replace` with a string, `$` in the new text has no meaning. */
function replaceFirst(text: string, old: string, replacement: string): string {
  return text.replace(old, () => replacement);
}

function requireText(name: string, value: unknown): void {
  if (typeof value !== "string") {
    throw new TypeError(`${name} is of type ${typeof value}, but a command must be a string`);
  }
}
