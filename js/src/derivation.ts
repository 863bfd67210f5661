/** Derivations: how a translation came about, step by step; as text, as a tree, and as plain data. */

import { length, padded } from "./codepoint.js";
import type { Failure, SlotText } from "./results.js";
import type { Rule } from "./rule.js";
import { ruleText, SOURCE_NAMES } from "./rule.js";
import { joinCode } from "./scheme.js";
import type { Piece } from "./substitution.js";
import { flatten, writeOut } from "./substitution.js";

const MAX_SHOWN = 24; // actions of a value on display
const MAX_IN_TREE = 8;
const WIDEST = 60; // characters of a column

/** One recognised span, translated by its rule. */
export interface Step {
  /** Counted from 1. */
  readonly number: number;
  readonly rule: Rule;
  /** The merges inside the span, as a bracketed expression. */
  readonly node: string;
  /** The first word covered, counted from 0. */
  readonly start: number;
  /** One past the last word covered. */
  readonly stop: number;
  /** The numbers of the steps whose values the variables of the span are bound to. */
  readonly parts: readonly number[];
  /** The memory slots of those values; reading empties them. */
  readonly reads: readonly number[];
  /** The memory slot of the result. */
  readonly slot: number;
  /** How many actions the value has. */
  readonly length: number;
  /** The value, shared with other steps; `stepValue` writes it out. */
  readonly value: Piece;
  /** False where the derivation leaves what was learned: by this rule, or by its place. */
  readonly learned: boolean;
}

/** All steps of one command; with an error, the steps that came before it. */
export interface Derivation {
  readonly words: readonly string[];
  readonly steps: readonly Step[];
  /** The translation; empty if there is an error. */
  readonly text: string;
  readonly error: Failure | null;
  /** The texts of the slots among the words. */
  readonly slots: readonly SlotText[];
}

/** Whether a step is a slot, whose value is the text that filled it instead of its own name. */
export function isFilled({ rule, value }: Step): boolean {
  return rule.span.length === 1 && rule.template[0] === rule.span[0] && value !== rule.span[0];
}

/** The value of a step: actions joined by spaces. */
export function stepValue(step: Step): string {
  return writeOut(step.value);
}

/** One line a step: its rule, where its variables come from, and the value stored. */
export function asText(derivation: Derivation): string {
  const { steps } = derivation;
  const width = Math.min(WIDEST, Math.max(0, ...steps.map((step) => length(leftSide(step)))));
  const digits = String(steps.length).length;
  const lines = steps.map((step) => {
    const number = String(step.number).padStart(digits);
    return `  ${number}. ${padded(leftSide(step), width)}  $${step.slot} = ${shorten(step)}${mark(step)}`;
  });
  return [derivation.words.join(" "), ...lines, outcome(derivation)].join("\n");
}

/** The steps under the step that uses their values; the last one is the root. */
export function asTree(derivation: Derivation): string {
  const { steps } = derivation;
  const lines = [derivation.words.join(" ")];
  const stack = roots(derivation).reverse().map((step): [Step, string, string] => [step, "", ""]);
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    const [step, lead, indent] = entry;
    // A rule without variables shows its value already, unless that is the text of a slot.
    const value = step.parts.length || isFilled(step) ? `   = ${shorten(step, MAX_IN_TREE)}` : "";
    lines.push(`${lead}${ruleText(step.rule)}${value}${mark(step)}`);
    const last = step.parts.length - 1;
    for (let place = last; place >= 0; place--) {
      const part = steps[step.parts[place]! - 1]!;
      const [branch, below] = place === last ? ["└── ", "    "] : ["├── ", "│   "];
      stack.push([part, indent + branch, indent + below]);
    }
  }
  return [...lines, outcome(derivation)].join("\n");
}

/** Plain data, with the keys of `lane-run --explain json`. */
export function asPlain(derivation: Derivation): Record<string, unknown> {
  const { words, text, error } = derivation;
  const slots = derivation.slots.length ? { slots: derivation.slots } : {};
  const steps = derivation.steps.map((step) => ({
    number: step.number,
    span: step.rule.span.join(" "),
    template: step.rule.template.join(" "),
    node: step.node,
    start: step.start,
    stop: step.stop,
    parts: step.parts,
    reads: step.reads,
    slot: step.slot,
    value: stepValue(step),
    learned: step.learned,
  }));
  return { words, text, error, ...slots, steps };
}

/** The steps whose values no other step takes: one in a finished derivation. */
export function roots(derivation: Derivation): Step[] {
  const used = new Set(derivation.steps.flatMap((step) => step.parts));
  return derivation.steps.filter((step) => !used.has(step.number));
}

/** A value for display: its first actions, and their total number. */
export function shorten(step: Step, bound: number = MAX_SHOWN): string {
  const actions: string[] = [];
  for (const piece of flatten(step.value)) {
    actions.push(...String(piece).split(" "));
    if (actions.length > bound) return `${joinCode(actions.slice(0, bound))} ... (${step.length} actions)`;
  }
  return joinCode(actions);
}

function leftSide(step: Step): string {
  const pairs = step.reads.map((slot, place) => `${SOURCE_NAMES[place]} = $${slot}`);
  return pairs.length ? `${ruleText(step.rule)}  (${pairs.join(", ")})` : ruleText(step.rule);
}

function mark(step: Step): string {
  return step.learned ? "" : "   <- not learned";
}

function outcome(derivation: Derivation): string {
  return derivation.error ? `  error: ${derivation.error.message}` : `  = ${derivation.text}`;
}
