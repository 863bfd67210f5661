/** The list of rules; those of the present derivation are lit and come first into view. */

import type { Derivation, Rule, Translator } from "../src/index.js";
import { ruleText } from "../src/index.js";
import { element, make } from "./elements.js";

const MOST_SHOWN = 500; // of the rules: more stall the page

/** Show the rules of a model, those in use in any case. */
export function showRules(translator: Translator, derivation: Derivation): void {
  const inUse = new Set(derivation.steps.map((step) => step.rule));
  const list = element("rules");
  const shown = chosen(translator.rules(), inUse);
  const items = shown.slice(0, MOST_SHOWN).map((rule) => item(rule, inUse.has(rule)));
  const more = shown.length - items.length;
  if (more > 0) items.push(make("li", `and ${more} more`));
  list.replaceChildren(...items);
  const first = list.querySelector<HTMLElement>(".lit");
  if (first) list.scrollTop = first.offsetTop - list.offsetTop - 8;
}

/** Those that the training pairs used, or all; the longest spans first, since words are many. */
function chosen(rules: readonly Rule[], inUse: ReadonlySet<Rule>): Rule[] {
  const everything = element<HTMLInputElement>("all").checked || rules.every((rule) => !rule.uses);
  const shown = rules.filter((rule) => everything || rule.uses || inUse.has(rule));
  const isWord = (rule: Rule): number => Number(rule.span.length === 1);
  return shown.sort((left, right) => isWord(left) - isWord(right));
}

function item(rule: Rule, isLit: boolean): HTMLLIElement {
  const made = make("li", ruleText(rule), isLit ? "lit" : "");
  if (isLit) made.setAttribute("aria-current", "true");
  return made;
}
