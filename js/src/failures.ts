/** Failures of commands: the messages of the Python runtime. */

import { head, length } from "./codepoint.js";
import type { Gap } from "./composer.js";
import { BEYOND_MODEL, EMPTY, TOO_MANY_ACTIONS, TOO_MANY_WORDS, UNKNOWN_WORD } from "./errors.js";
import { quoted } from "./literal.js";
import type { Failure } from "./results.js";
import { nameVariables } from "./rule.js";
import { MAX_LENGTH, Suggestions } from "./suggestion.js";
import type { Tables } from "./tables.js";

const LONGEST_SHOWN = 60; // characters of an unknown word in a message
const MOST_CACHED = 4096; // suggestions

/** Checks commands against the vocabulary and the limits of a program. */
export class Failures {
  private suggestions: Suggestions | null = null;
  private readonly nearestOf = new Map<string, string | null>();

  constructor(
    private readonly known: { has(word: string): boolean; keys(): Iterable<string> },
    private readonly maxWords: number,
    private readonly maxActions: number,
  ) {}

  /** The failure of a command that is invalid before any derivation; null if it is valid. */
  ofCommand(words: readonly string[]): Failure | null {
    const failed = this.ofSize(words);
    if (failed) return failed;
    const place = words.findIndex((word) => !this.known.has(word));
    return place < 0 ? null : this.unknown(words[place]!, place + 1);
  }

  /** The failure of a command without words, or with too many of them. */
  ofSize(words: readonly string[], positions?: readonly number[]): Failure | null {
    if (!words.length) return failure(EMPTY, "the command has no words", null, null);
    const bound = this.maxWords;
    if (words.length <= bound) return null;
    return this.tooMany(String(words.length), words[bound]!, positions?.[bound] ?? bound + 1);
  }

  /** The failure of a command of too many words; `word` is the first one too many. */
  tooMany(count: string, word: string, position: number): Failure {
    const message = `the command has ${count} words; the model takes at most ${this.maxWords}`;
    return failure(TOO_MANY_WORDS, message, word, position);
  }

  /** The failure of a translation whose part from a word on has too many actions. */
  tooLong(word: string, position: number, limit: number = this.maxActions): Failure {
    const message = `the translation is longer than ${limit} actions (from word ${position})`;
    return failure(TOO_MANY_ACTIONS, message, word, position);
  }

  /** The failure of a command that leads beyond the tables. */
  beyond(tables: Tables, word: string, position: number, { left, right }: Gap): Failure {
    const shown = quoted(nameVariables(tables.spans[left]!).join(" "));
    const problem =
      right === null
        ? `no rule for ${shown}`
        : `no entry for ${shown} before ${quoted(nameVariables(tables.spans[right]!).join(" "))}`;
    return failure(BEYOND_MODEL, `beyond the model: ${problem} (from word ${position})`, word, position);
  }

  /** The failure of a word that is not in the vocabulary. */
  unknown(word: string, position: number, typed: string = word): Failure {
    const nearest = this.nearest(word);
    const hint = nearest === null ? "" : `; did you mean ${quoted(nearest)}?`;
    const shown = length(typed) <= LONGEST_SHOWN ? typed : `${head(typed, LONGEST_SHOWN - 3)}...`;
    const message = `unknown word ${quoted(shown)} (word ${position})${hint}`;
    return { ...failure(UNKNOWN_WORD, message, typed, position), nearest };
  }

  private nearest(word: string): string | null {
    if (word.length > 2 * MAX_LENGTH) return null; // and is not cached
    const known = this.nearestOf.get(word);
    if (known !== undefined) return known;
    this.suggestions ??= new Suggestions(this.known.keys());
    const found = this.suggestions.nearest(word);
    if (this.nearestOf.size >= MOST_CACHED) this.nearestOf.clear();
    this.nearestOf.set(word, found);
    return found;
  }
}

/** A failure without a nearest word. */
export function failure(code: string, message: string, word: string | null, position: number | null): Failure {
  return { code, message, word, position, nearest: null };
}
