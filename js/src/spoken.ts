/** Checks what commands of a program may hold besides its words: slots, words to skip, and any case. */

import type { Program } from "./codec.js";
import { compare } from "./codepoint.js";
import { ProgramError } from "./errors.js";
import { exactWords } from "./hearing.js";
import { fold } from "./lettercase.js";
import { quoted } from "./literal.js";
import { beginsLikeSlot, placeholder } from "./placeholder.js";

const FORBIDDEN = /[\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ud800-\udfff]/u;

/** ProgramError unless slots are words of their own value, and nothing else can be taken for one. */
export function checkSpoken(program: Program): void {
  const { schemes } = program;
  if (!schemes.isSpoken) return;
  const slots = new Set(schemes.slots.map(placeholder));
  const words = new Map(program.words);
  checkSlots(program, slots, words);
  for (const word of schemes.skips) {
    if (FORBIDDEN.test(word)) {
      throw new ProgramError("schemes.skips", `${quoted(word)} holds white space or a control character`);
    }
    if (words.has(word)) {
      throw new ProgramError("schemes.skips", `${quoted(word)} is a word of the program: it cannot be skipped`);
    }
  }
  if (schemes.folds) checkFolds(exactWords(schemes, [...words.keys()].filter((word) => !slots.has(word))));
}

function checkSlots(program: Program, slots: ReadonlySet<string>, words: ReadonlyMap<string, boolean>): void {
  const isOwn = ({ span, template }: { span: readonly string[]; template: readonly string[] }): boolean =>
    span.join(" ") === template.join(" ");
  const own = new Set(program.rules.filter((rule) => rule.span.length === 1 && isOwn(rule)).map(({ span }) => span[0]));
  for (const slot of slots) {
    if (!words.get(slot) || !own.has(slot)) {
      throw new ProgramError("schemes.slots", `${slot} is no word that stands for itself`);
    }
  }
  for (const action of slots.size ? program.actions : []) {
    if (beginsLikeSlot(action) && !slots.has(action)) {
      throw new ProgramError("actions", `${quoted(action)} could be taken for the text of a slot`);
    }
  }
  const learned = program.kinds && new Set(program.kinds.flatMap((kind) => kind.spans));
  for (const [place, rule] of program.rules.entries()) {
    // What was never learned is a guess of the network, and refused.
    const isUsed = !learned || learned.has(rule.span.join(" "));
    if (isUsed && !isOwn(rule) && rule.template.some((token) => slots.has(token))) {
      throw new ProgramError(`rules[${place}]`, "writes a slot, which only the slot itself may do");
    }
  }
}

function checkFolds(words: ReadonlySet<string>): void {
  const ofFolded = new Map<string, string>();
  for (const word of [...words].sort(compare)) {
    const other = ofFolded.get(fold(word));
    if (other !== undefined) {
      throw new ProgramError("schemes.folds", `${quoted(other)} and ${quoted(word)} differ in case only`);
    }
    ofFolded.set(fold(word), word);
  }
}
