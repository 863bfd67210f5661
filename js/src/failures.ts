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

  constructor(private readonly tables: Tables) {}

  /** The failure of a command that is invalid before any derivation; null if it is valid. */
  ofCommand(words: readonly string[]): Failure | null {
    if (!words.length) return failure(EMPTY, "the command has no words", null, null);
    const bound = this.tables.limits.max_words;
    if (words.length > bound) {
      const message = `the command has ${words.length} words; the model takes at most ${bound}`;
      return failure(TOO_MANY_WORDS, message, words[bound]!, bound + 1);
    }
    const place = words.findIndex((word) => !this.tables.leafOf.has(word));
    return place < 0 ? null : this.unknown(words[place]!, place + 1);
  }

  /** The failure of a translation whose part from a word on has too many actions. */
  tooLong(words: readonly string[], start: number): Failure {
    const message = `the translation is longer than ${this.tables.limits.max_actions} actions (from word ${start + 1})`;
    return failure(TOO_MANY_ACTIONS, message, words[start]!, start + 1);
  }

  /** The failure of a command that leads beyond the tables. */
  beyond(words: readonly string[], { start, left, right }: Gap): Failure {
    const shown = quoted(nameVariables(this.tables.spans[left]!).join(" "));
    const problem =
      right === null
        ? `no rule for ${shown}`
        : `no entry for ${shown} before ${quoted(nameVariables(this.tables.spans[right]!).join(" "))}`;
    return failure(BEYOND_MODEL, `beyond the model: ${problem} (from word ${start + 1})`, words[start]!, start + 1);
  }

  private unknown(word: string, position: number): Failure {
    const nearest = this.nearest(word);
    const hint = nearest === null ? "" : `; did you mean ${quoted(nearest)}?`;
    const shown = length(word) <= LONGEST_SHOWN ? word : `${head(word, LONGEST_SHOWN - 3)}...`;
    const message = `unknown word ${quoted(shown)} (word ${position})${hint}`;
    return { ...failure(UNKNOWN_WORD, message, word, position), nearest };
  }

  private nearest(word: string): string | null {
    if (word.length > 2 * MAX_LENGTH) return null; // and is not cached
    const known = this.nearestOf.get(word);
    if (known !== undefined) return known;
    this.suggestions ??= new Suggestions(this.tables.leafOf.keys());
    const found = this.suggestions.nearest(word);
    if (this.nearestOf.size >= MOST_CACHED) this.nearestOf.clear();
    this.nearestOf.set(word, found);
    return found;
  }
}

function failure(code: string, message: string, word: string | null, position: number | null): Failure {
  return { code, message, word, position, nearest: null };
}
