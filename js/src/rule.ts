/** Rules as people read them: `$x twice -> $X $X`, and the names of their variables. */

import { length, padded } from "./codepoint.js";
import { joinCode } from "./scheme.js";

export const VARIABLE = "$"; // begins every variable, and so no word
export const SOURCE_NAMES = ["$x", "$y", "$z", "$w"] as const;
export const TARGET_NAMES = ["$X", "$Y", "$Z", "$W"] as const;

/** A span of words and `$x`, `$y`, and its translation: actions and `$X`, `$Y`. */
export interface Rule {
  readonly span: readonly string[];
  readonly template: readonly string[];
  /** How many expressions of the training pairs it translates (0: none, or not known). */
  readonly uses: number;
}

/** One rule on a line. */
export function ruleText(rule: Rule): string {
  return `${rule.span.join(" ")} -> ${joinCode(rule.template)}`;
}

/** The rules as a table of text. */
export function rulesText(rules: readonly Rule[]): string {
  const width = Math.max(0, ...rules.map((rule) => length(rule.span.join(" "))));
  return rules.map((rule) => `${padded(rule.span.join(" "), width)} -> ${joinCode(rule.template)}`).join("\n");
}

/** A span whose variables are all `$`, with the variables named in order of appearance. */
export function nameVariables(leaves: readonly string[]): string[] {
  let next = 0;
  return leaves.map((leaf) => (leaf === VARIABLE ? (SOURCE_NAMES[next++] ?? leaf) : leaf));
}
