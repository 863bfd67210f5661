/** Phrases: neighbouring tokens that are read as one, such as `electron volt`. */

import { splitWords } from "./codepoint.js";
import type { Json } from "./json.js";

export const BLANK = "␣"; // stands between the tokens of a phrase, since no token holds white space
const MOST = 200; // phrases of a model: reading a command takes time for each of them

/** Two neighbours; each may be a phrase itself. */
export type Phrase = readonly [string, string];

/** A phrase, or a scheme, that is none. */
export class SchemeError extends Error {}

/** The tokens with each phrase as one token; phrases are joined in their order, from left to right. */
export function joinPhrases(tokens: string[], phrases: readonly Phrase[]): string[] {
  let joined = tokens;
  const present = new Set(tokens);
  for (const [first, second] of phrases) {
    if (present.has(first) && present.has(second)) {
      joined = joinOne(joined, first, second);
      present.add(first + BLANK + second);
    }
  }
  return joined;
}

/** In one pass: a hostile line may hold the phrase a million times. */
function joinOne(tokens: readonly string[], first: string, second: string): string[] {
  const joined: string[] = [];
  for (let place = 0; place < tokens.length; place++) {
    const token = tokens[place] ?? "";
    if (token === first && tokens[place + 1] === second) {
      joined.push(first + BLANK + second);
      place++;
    } else {
      joined.push(token);
    }
  }
  return joined;
}

/**
 * The position, from 1 on, of the first of the tokens that a joined token at a position is made of.
 *
 * By lengths: a token that holds BLANK may have been typed so, and then is no phrase.
 */
export function firstPlace(tokens: readonly string[], joined: readonly string[], position: number): number {
  let place = 0;
  for (const token of joined.slice(0, position - 1)) {
    let left = token.length - tokens[place++]!.length;
    while (left) left -= BLANK.length + tokens[place++]!.length;
  }
  return place + 1;
}

/** Phrases as they are read from a file; a SchemeError if they are none. */
export function checkedPhrases(phrases: Json): Phrase[] {
  if (!Array.isArray(phrases) || phrases.length > MOST) {
    throw new SchemeError(`phrases: not a list of at most ${MOST}`);
  }
  return phrases.map((phrase) => {
    if (!Array.isArray(phrase) || phrase.length !== 2) throw new SchemeError("phrases: each has two tokens");
    const [first, second] = phrase as [Json, Json];
    if (!isToken(first) || !isToken(second)) {
      throw new SchemeError("phrases: tokens are not empty and hold no white space");
    }
    return [first, second];
  });
}

function isToken(value: Json): value is string {
  return typeof value === "string" && splitWords(value)[0] === value;
}
