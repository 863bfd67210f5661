/** The public interface of a loaded model. */

import type { Program } from "./codec.js";
import { decode } from "./codec.js";
import { splitWords } from "./codepoint.js";
import type { Derivation } from "./derivation.js";
import { ProgramError, UNKNOWN_WORD } from "./errors.js";
import { Interpreter } from "./interpreter.js";
import { quoted } from "./literal.js";
import type { Failure, Info, Translation } from "./results.js";
import { refused } from "./results.js";
import type { Rule } from "./rule.js";

/** How to load. */
export interface Options {
  /** Of the file, for messages and `info`. */
  readonly name?: string;
  /** Answer every command of known words, also where its derivation leaves what was learned. */
  readonly lenient?: boolean;
}

/** Open the bytes of a `.lane` program; throws ProgramError if they are invalid. It never runs code. */
export function load(data: Uint8Array, options: Options = {}): Translator {
  if (!(data instanceof Uint8Array)) throw new TypeError("data must be a Uint8Array: the bytes of a .lane file");
  const { name = "", lenient = false } = options;
  try {
    const program = decode(data);
    return new Translator(program, new Interpreter(program, lenient), name);
  } catch (error) {
    if (error instanceof ProgramError && name) throw new ProgramError(`${name}: ${error.place}`, error.problem);
    throw error;
  }
}

/** Translates commands into actions. The same command always gives the same answer, alone or in a batch. */
export class Translator {
  /** Use `load`. */
  constructor(
    private readonly program: Program,
    private readonly interpreter: Interpreter,
    private readonly name: string,
  ) {}

  /** Translate one command, which is split into words by `info.schemes`: at white space, or as text. */
  translate(text: string): Translation {
    requireText("text", text);
    const { schemes } = this.program;
    if (schemes.isPlain) return this.interpreter.translate(splitWords(text));
    const answer = this.interpreter.translate(schemes.read(text));
    if (answer.error) return refused(this.asTyped(text, answer.error));
    return { ok: true, text: schemes.join(answer.actions), error: null, actions: answer.actions };
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
    const derivation = this.interpreter.explain(schemes.read(text));
    const joined = derivation.text ? schemes.join(derivation.text.split(" ")) : "";
    return { ...derivation, text: joined, error: derivation.error && this.asTyped(text, derivation.error) };
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
