/**
 * Schemes of tokenisation: how a command becomes tokens, and the tokens of an output a text.
 *
 * base/scheme.py defines them, with the reasons; `join` undoes the splitting of outputs by the trainer.
 */

import { SPACE, splitWords, wordSpans } from "./codepoint.js";
import type { Json } from "./json.js";
import { quoted, repr } from "./literal.js";
import type { Phrase } from "./phrase.js";
import { checkedPhrases, firstPlace, joinPhrases, SchemeError } from "./phrase.js";
import { checkedSkips, checkedSlots } from "./placeholder.js";

const SOURCE_SCHEMES = ["whitespace", "text", "code"];
const TARGET_SCHEMES = ["whitespace", "code"]; // `text` folds case: it cannot be undone
const GLUE = "￭";
const ESCAPE = "￮";

// Letters by ranges: `\w` leaves out the vowel signs of many scripts. Punctuation lies between the ranges.
const LETTER =
  "A-Za-z_\\xaa\\xb5\\xba\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u060b\\u060d-\\u061a\\u061c-\\u061e\\u0620-" +
  "\\u06d3\\u06d5-\\u0963\\u0966-\\u167f\\u1681-\\u1fff\\u200c\\u200d\\u2c00-\\u2dff\\u2e80-\\u2fff" +
  "\\u3005-\\u3007\\u3021-\\u3029\\u3031-\\u3035\\u3040-\\ud7ff\\ue000-\\ufdff\\ufe00-\\ufe0f" +
  "\\ufe20-\\ufe2f\\ufe70-\\ufefe\\uff10-\\uff19\\uff21-\\uff3a\\uff41-\\uff5a\\uff66-\\uffdc" +
  "\\u{10000}-\\u{1efff}\\u{20000}-\\u{e01ef}";
const WORD = `[${LETTER}][${LETTER}0-9]{0,199}`; // longer ones in pieces: a token has 256 characters at most
const OPERATORS = "=== !== ... -> => <- == != <= >= && || :: := ** // ++ -- += -= *= /= << >> ?? ?."
  .split(" ")
  .map((operator) => operator.replace(/[.|*+?]/g, "\\$&"))
  .join("|");
// `don't` and `living-room` are words of a text; `1,000.5` is a number.
const TEXT_TOKEN = new RegExp(`${WORD}(?:['\\u2019\\-]${WORD})*|[0-9]+(?:[.,][0-9]+)*|[^${SPACE}]`, "gu");
const CODE_TOKEN = new RegExp(`${WORD}|[0-9]+(?:\\.[0-9]+)?|${OPERATORS}|[^${SPACE}]`, "gu");
const GLUED_TOKEN = new RegExp(
  `^(${GLUE}?)(?:${ESCAPE}([${GLUE}${ESCAPE}$])|${ESCAPE}([0-9a-f]{1,6})|([^${GLUE}${ESCAPE}]+))(${GLUE}?)$`,
  "u",
);
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]/u;
const TYPOGRAPHIC: Readonly<Record<string, string>> = { "\u2018": "'", "\u2019": "'", "“": '"', "”": '"' };

/** The schemes of both sides of a language; they travel in every file of a model. */
export class Schemes {
  constructor(
    readonly source: string = "whitespace",
    readonly target: string = "whitespace",
    readonly phrases: readonly Phrase[] = [],
    readonly slots: readonly string[] = [],
    readonly skips: readonly string[] = [],
    readonly folds: boolean = false,
  ) {}

  /** The schemes of these names; an unknown one, or a malformed phrase, is a SchemeError. */
  static checked(
    source: Json,
    target: Json,
    phrases: Json,
    slots: Json = [],
    skips: Json = [],
    folds: Json = false,
  ): Schemes {
    checkName("source", source, SOURCE_SCHEMES);
    checkName("target", target, TARGET_SCHEMES);
    if (typeof folds !== "boolean") throw new SchemeError("folds: neither true nor false");
    const parts = [checkedPhrases(phrases), checkedSlots(slots), checkedSkips(skips)] as const;
    return new Schemes(source as string, target as string, ...parts, folds);
  }

  /** Whether commands differ from what was trained: by the texts of slots, skipped words or case. */
  get isSpoken(): boolean {
    return this.slots.length > 0 || this.skips.length > 0 || this.folds;
  }

  /** Whether both sides are split at white space, without phrases. */
  get isPlain(): boolean {
    return !this.isSpoken && this.source === "whitespace" && this.target === "whitespace" && !this.phrases.length;
  }

  /** The tokens of a command. */
  read(text: string): string[] {
    return joinPhrases(this.split(text), this.phrases);
  }

  private split(text: string): string[] {
    if (this.source === "whitespace") return splitWords(text);
    return typedTokens(this.source, text).map(([token]) => sourceToken(token, this.source === "text"));
  }

  /** The tokens of a command before phrases are joined, each with its place in the text. */
  spans(text: string): [string, number, number][] {
    if (this.source === "whitespace") return wordSpans(text);
    return typedTokens(this.source, text).map(([token, stop]) => {
      return [sourceToken(token, this.source === "text"), stop - token.length, stop];
    });
  }

  /** The text of the tokens of an output. */
  join(tokens: readonly string[]): string {
    return this.target === "whitespace" ? tokens.join(" ") : joinCode(tokens);
  }

  /** The token of a command at a position from 1 on, as it was typed, and the position of its word. */
  typed(text: string, position: number): [string, number] {
    const place = this.phrases.length ? firstPlace(this.split(text), this.read(text), position) : position;
    if (this.source === "whitespace") return [splitWords(text)[place - 1] ?? "", place];
    const [token, end] = typedTokens(this.source, text)[place - 1] ?? ["", 0];
    return [token, splitWords(text.slice(0, end)).length];
  }

  /** An action whose text holds a line end or a control, which a terminal would obey; or undefined. */
  unsafe(actions: readonly string[]): string | undefined {
    if (this.target === "whitespace") return undefined;
    return actions.find((action) => CONTROL.test(parsed(action).text));
  }
}

/** The text of tokens of the scheme `code`; tokens without a sign are joined by single spaces. */
export function joinCode(tokens: readonly string[]): string {
  let joined = "";
  let glued = true;
  for (const token of tokens) {
    const { left, text, right } = parsed(token);
    joined += glued || left ? text : ` ${text}`;
    glued = right;
  }
  return joined;
}

function checkName(side: string, name: Json, known: readonly string[]): void {
  if (known.includes(name as string)) return;
  const why = side === "target" && name === "text" ? ": it folds case, which cannot be undone" : "";
  const shown = typeof name === "string" ? name : repr(name);
  throw new SchemeError(`${side} scheme ${quoted([...shown].slice(0, 60).join(""))} is not one of ${known.join(", ")}${why}`);
}

/** Each token as typed, and where it ends. */
function typedTokens(scheme: string, text: string): [string, number][] {
  const pattern = scheme === "text" ? TEXT_TOKEN : CODE_TOKEN;
  return Array.from(text.matchAll(pattern), (match) => [match[0], match.index + match[0].length]);
}

function sourceToken(token: string, fold: boolean): string {
  if (token === "$") return ESCAPE + token;
  if (!fold) return token;
  return token.toLowerCase().normalize("NFC").replace(/[\u2018\u2019“”]/g, (sign) => TYPOGRAPHIC[sign] ?? sign);
}

/** Whether a token is glued to the left, its text, and whether it is glued to the right. */
function parsed(token: string): { left: boolean; text: string; right: boolean } {
  const found = token.includes(GLUE) || token.includes(ESCAPE) ? GLUED_TOKEN.exec(token) : null;
  if (!found) return { left: false, text: token, right: false };
  const [, left, sign, number, plain] = found;
  let text = sign ?? plain ?? `${ESCAPE}${number}`;
  if (number !== undefined && Number.parseInt(number, 16) < 0x110000) {
    text = String.fromCodePoint(Number.parseInt(number, 16));
  }
  return { left: left !== "", text, right: found[5] !== "" };
}
