/**
 * Hearing: which words a command is, where it may hold the texts of slots, words to skip, and any case.
 *
 * runtime/hearing.py says how, and why.
 */

import { MAX_TEXT_LENGTH, MAX_TEXT_WORDS } from "./bounds.js";
import { length, splitWords, wordStarts } from "./codepoint.js";
import { checkedEntries, Entries, keyOf, MOST_WORDS } from "./entries.js";
import { TEXT_TOO_LONG } from "./errors.js";
import { Failures, failure } from "./failures.js";
import { fold } from "./lettercase.js";
import { BLANK, joinPhrases } from "./phrase.js";
import { filled, NUMBER, placeholder, TEXT } from "./placeholder.js";
import type { Failure, SlotText } from "./results.js";
import type { Schemes } from "./scheme.js";

const MOST_WIDENED = 64; // other hearings of a refused command, with free text in other places
const LONGEST_WIDENED = 200; // units: a longer command is heard in one way, as each takes time
const MAX_NUMBER = 32; // characters
const NUMERAL = /^[+-]?[0-9]+(?:[.,][0-9]+)*$/;
const UNSAYABLE = /[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]/u;
const TOKENS = MAX_TEXT_WORDS + 8; // of a command for each word that the model takes: more are never read

type Kind = "stranger" | "known" | "skipped";

/** A word of a command as it was typed, or a phrase of several. */
interface Unit {
  /** As the model knows it, if it does. */
  readonly word: string;
  /** As lists know it. */
  readonly key: string;
  readonly kind: Kind;
  readonly start: number;
  readonly stop: number;
}

/** A command as the model takes it. */
export interface Heard {
  /** Known words, and the words of slots. */
  readonly words: string[];
  /** For each word the token of the text of its slot; null for a known word. */
  readonly values: (string | null)[];
  /** The words as they were typed. */
  readonly shown: string[];
  /** Of the words among those typed, counted from 1. */
  readonly positions: number[];
  readonly slots: SlotText[];
}

export type Lists = ReadonlyMap<string, Entries>;
type Interval = readonly [number, number];

interface Match {
  readonly name: string;
  readonly stop: number;
  /** An entry as the application wrote it; null for a number, which is as typed. */
  readonly text: string | null;
}

/** Whether a hearing is none. */
export function isFailure(heard: Heard | Failure): heard is Failure {
  return "code" in heard;
}

/** How commands for a program are heard. */
export class Hearing {
  /** Of the slots that take lists. */
  readonly lists: readonly string[];
  readonly slots: readonly string[];
  private readonly known: ReadonlySet<string>;
  private readonly skips: ReadonlySet<string>;
  private readonly exact: ReadonlySet<string>;
  private readonly ofFolded: ReadonlyMap<string, string>;
  private readonly failures: Failures;

  constructor(
    private readonly schemes: Schemes,
    words: readonly string[],
    private readonly maxWords: number,
    maxActions: number,
  ) {
    const slots = new Set(schemes.slots.map(placeholder));
    this.slots = schemes.slots;
    this.lists = schemes.slots.filter((name) => name !== NUMBER && name !== TEXT);
    this.skips = new Set(schemes.skips);
    this.known = new Set(words.filter((word) => !slots.has(word)));
    this.failures = new Failures(this.known, maxWords, maxActions);
    this.exact = exactWords(schemes, this.known);
    this.ofFolded = new Map(schemes.folds ? Array.from(this.exact, (word) => [fold(word), word]) : []);
  }

  /** A list in the form that is searched, and those of its entries that are never heard. */
  entries(name: string, texts: Iterable<string>): [Entries, string[]] {
    const found = new Map<string, string>();
    const idle: string[] = [];
    for (const [index, text] of checkedEntries(name, texts).entries()) {
      const units = this.units(this.schemes.spans(text));
      const here = `entry ${index + 1} of ${placeholder(name)}`;
      if (units.length > MOST_WORDS) throw new RangeError(`${here} has more than ${MOST_WORDS} words`);
      if (UNSAYABLE.test(text)) throw new RangeError(`${here} holds a control character`);
      const key = keyOf(units.map((unit) => unit.key));
      if (!units.some(({ kind }) => kind === "stranger") || found.has(key)) idle.push(text);
      else found.set(key, text);
    }
    return [new Entries(found), idle];
  }

  /** What a command may be, the first choice first; a failure is the only one. */
  *hearings(text: string, lists: Lists): Generator<Heard | Failure> {
    const most = TOKENS * (this.maxWords + 1);
    const spans = this.schemes.spans(text);
    const beyond = spans[most];
    if (beyond) {
      const [, start, stop] = beyond;
      const position = splitWords(text.slice(0, stop)).length;
      yield this.failures.tooMany(`more than ${most}`, text.slice(start, stop), position);
      return;
    }
    const units = this.units(spans);
    const listener = new Listener(this, text, units, lists);
    const heard = listener.hear()!;
    const first = isFailure(heard) ? heard : (this.failures.ofSize(heard.shown, heard.positions) ?? heard);
    yield first;
    if (isFailure(first) || units.length > LONGEST_WIDENED) return;
    for (const name of [...listener.ties].sort()) {
      const other = listener.hear(name);
      if (other && !isFailure(other) && !isSame(other, first)) yield other;
    }
    if (this.slots.includes(TEXT)) yield* this.widened(listener, first);
  }

  /** The failure of a word that nothing knows; it may be missing from a list that was not given. */
  unknown(word: string, typed: string, position: number, lists: Lists): Failure {
    return withHint(this.failures.unknown(word, position, typed), this.missing(lists));
  }

  /** The end of a message: the slots whose lists were not given. */
  missing(lists: Lists): string {
    const names = this.lists.filter((name) => !lists.has(name)).map(placeholder);
    return names.length ? `; no list is given for ${names.join(", ")}` : "";
  }

  /** With one free text over all that is unknown, of which each covers as few more words as possible. */
  private *widened(listener: Listener, first: Heard): Generator<Heard> {
    const { core } = listener;
    let count = 0;
    for (const interval of intervals(listener.units.length, core)) {
      if (++count > MOST_WIDENED) return;
      const heard = listener.hear(null, interval);
      if (!heard || isFailure(heard) || isSame(heard, first)) continue;
      if ((core || heard.words.length > 1) && heard.words.length <= this.maxWords) yield heard;
    }
  }

  private units(found: readonly [string, number, number][]): Unit[] {
    const tokens = found.map(([token]) => this.wordOf(token));
    let place = 0;
    return joinPhrases(tokens, this.schemes.phrases).map((word) => {
      const first = place;
      let left = word.length - tokens[place++]!.length;
      while (left) left -= BLANK.length + tokens[place++]!.length; // of a phrase, with a sign between its tokens
      return this.unit(word, found[first]![1], found[place - 1]![2]);
    });
  }

  private unit(word: string, start: number, stop: number): Unit {
    const kind = this.known.has(word) ? "known" : this.skips.has(word) ? "skipped" : "stranger";
    return { word, key: this.schemes.folds ? fold(word) : word, kind, start, stop };
  }

  /** The word that a token is, in the case that the model knows. */
  private wordOf(token: string): string {
    if (!this.schemes.folds || this.exact.has(token)) return token;
    return this.ofFolded.get(fold(token)) ?? token;
  }
}

/** One command, heard in several ways. */
class Listener {
  /** Slots that lost to another one of as many words. */
  readonly ties = new Set<string>();
  /** The units from the first to the last one in a free text. */
  core: Interval | null = null;
  private readonly keys: readonly string[];
  private readonly starts: readonly number[];

  constructor(
    private readonly hearing: Hearing,
    private readonly text: string,
    readonly units: readonly Unit[],
    private readonly lists: Lists,
  ) {
    this.keys = units.map((unit) => unit.key);
    this.starts = wordStarts(text);
  }

  /** Units as they were typed. */
  typed(start: number, stop: number = start + 1): string {
    return splitWords(this.text.slice(this.units[start]!.start, this.units[stop - 1]!.stop)).join(" ");
  }

  /** The position of a unit among the words typed. */
  position(place: number): number {
    const { start } = this.units[place]!;
    let [low, high] = [0, this.starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle]! <= start) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The words; with an interval its units are the one free text, and null if others are unknown. */
  hear(preferred: string | null = null, interval: Interval | null = null): Heard | Failure | null {
    const draft = new Draft(this);
    const isFirst = !preferred && !interval;
    let run: [number, number] | null = null; // a free text so far
    let place = 0;
    while (place < this.units.length) {
      const unit = this.units[place]!;
      if (interval && place === interval[0]) {
        if (!this.isSayable(interval) || this.isTooLong(interval)) return null;
        draft.fill(TEXT, interval);
        place = interval[1];
        continue;
      }
      const stop = interval && place < interval[0] ? interval[0] : this.units.length;
      const match = this.match(place, stop, preferred);
      if (!match && unit.kind === "stranger") {
        if (interval) return null;
        if (!this.hearing.slots.includes(TEXT) || !this.isSayable([place, place + 1])) {
          return this.hearing.unknown(unit.word, this.typed(place), this.position(place), this.lists);
        }
        run = [run?.[0] ?? place, ++place];
        continue;
      }
      if (!match && unit.kind === "skipped") {
        place++; // inside a free text it is a part of it
        continue;
      }
      const failed = run && this.endRun(draft, run, isFirst);
      if (failed) return failed;
      run = null;
      if (match) draft.fill(match.name, [place, match.stop], match.text);
      else draft.know(place);
      place = match?.stop ?? place + 1;
    }
    return (run && this.endRun(draft, run, isFirst)) ?? draft;
  }

  private endRun(draft: Draft, run: Interval, isFirst: boolean): Failure | null {
    if (this.isTooLong(run)) return this.tooLong(run[0]);
    if (isFirst) this.core = [this.core?.[0] ?? run[0], run[1]];
    draft.fill(TEXT, run);
    return null;
  }

  /** The longest entry, or a number; of equally long ones that of the preferred slot, or the first. */
  private match(place: number, stop: number, preferred: string | null): Match | null {
    let found: Match[] = [];
    for (const [name, entries] of this.lists) {
      const entry = entries.longest(this.keys, place, stop);
      if (entry) found.push({ name, stop: place + entry.size, text: entry.text });
    }
    const end = this.hearing.slots.includes(NUMBER) ? this.numberEnd(place, stop) : 0;
    if (end) found.push({ name: NUMBER, stop: end, text: null });
    if (!found.length) return null;
    const longest = Math.max(...found.map((match) => match.stop));
    found = found.filter((match) => match.stop === longest);
    const chosen = found.find((match) => match.name === preferred) ?? found[0]!;
    for (const match of found) if (match !== chosen) this.ties.add(match.name);
    return chosen;
  }

  /** The end of the longest number that begins with a unit; 0 if none does. */
  private numberEnd(place: number, stop: number): number {
    const begin = this.units[place]!.start;
    const before = this.units[place - 1];
    if (before?.kind === "stranger" && before.stop === begin && "+-".includes(this.text[begin]!)) return 0;
    let end = 0;
    for (let last = place; last < stop; last++) {
      const unit = this.units[last]!;
      if (unit.kind !== "stranger" || unit.stop - begin > MAX_NUMBER) break;
      if (isNumber(this.text.slice(begin, unit.stop))) end = last + 1;
    }
    return end;
  }

  private isSayable([start, stop]: Interval): boolean {
    for (let place = start; place < stop; place++) if (UNSAYABLE.test(this.typed(place))) return false;
    return true;
  }

  private isTooLong([start, stop]: Interval): boolean {
    return stop - start > MAX_TEXT_WORDS || length(this.typed(start, stop)) > MAX_TEXT_LENGTH;
  }

  private tooLong(start: number): Failure {
    const position = this.position(start);
    const message =
      `the text from word ${position} on is too long: ${placeholder(TEXT)} takes at most ` +
      `${MAX_TEXT_WORDS} words and ${MAX_TEXT_LENGTH} characters`;
    return failure(TEXT_TOO_LONG, message, this.typed(start), position);
  }
}

/** A hearing that grows word by word. */
class Draft implements Heard {
  readonly words: string[] = [];
  readonly values: (string | null)[] = [];
  readonly shown: string[] = [];
  readonly positions: number[] = [];
  readonly slots: SlotText[] = [];

  constructor(private readonly listener: Listener) {}

  know(place: number): void {
    this.add(this.listener.units[place]!.word, null, [place, place + 1]);
  }

  fill(name: string, units: Interval, entry: string | null = null): void {
    const text = entry ?? this.listener.typed(...units);
    this.slots.push({ name, text, position: this.listener.position(units[0]) });
    this.add(placeholder(name), filled(name, text), units);
  }

  private add(word: string, value: string | null, units: Interval): void {
    this.words.push(word);
    this.values.push(value);
    this.shown.push(this.listener.typed(...units));
    this.positions.push(this.listener.position(units[0]));
  }
}

/** Whether a text is a number: digits with points or commas between them, and perhaps a sign. */
function isNumber(text: string): boolean {
  return text.length <= MAX_NUMBER && NUMERAL.test(text);
}

/** The tokens that a program knows: its words, the parts of its phrases, and those to skip. */
export function exactWords(schemes: Schemes, known: Iterable<string>): Set<string> {
  return new Set([...known, ...schemes.phrases.flat(), ...schemes.skips]);
}

/** The failure with more at the end of its message. */
export function withHint(failed: Failure, hint: string): Failure {
  return { ...failed, message: failed.message + hint };
}

function isSame(left: Heard, right: Heard): boolean {
  return left.words.length === right.words.length && left.words.every((word, place) => word === right.words[place]);
}

/** The places of a free text among `count` units that cover the core: shortest first, then leftmost. */
function* intervals(count: number, core: Interval | null): Generator<Interval> {
  const [low, high] = core ?? [count, 0];
  for (let size = Math.max(high - low, 1); size <= Math.min(count, MAX_TEXT_WORDS); size++) {
    const last = Math.min(low, count - size);
    for (let start = Math.max(0, high - size); start <= last; start++) yield [start, start + size];
  }
}
