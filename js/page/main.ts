/** The page to play with: type a command, and see the answer, its derivation and the rules in use. */

import type { Failure, Translator } from "../src/index.js";
import { showAnswer } from "./answer.js";
import { element, make } from "./elements.js";
import { copyLink, linked, setLink } from "./link.js";
import { showLists } from "./lists.js";
import { embedded, listen } from "./model.js";
import { showPairs } from "./pairs.js";
import { showRules } from "./rules.js";

const MOST_WORDS = 40; // of the vocabulary in the hint
const command = element<HTMLInputElement>("command");
let translator: Translator = embedded();

function showModel(): void {
  const { name, words, rules, agreement, refuses } = translator.info;
  const facts = [`${words.length} words`, `${rules.toLocaleString("en")} rules`];
  if (agreement !== null) facts.push(`agreement ${(100 * agreement).toFixed(2)} %`);
  if (refuses) facts.push("refuses what was not learned");
  element("card").textContent = `${name}: ${facts.join(", ")}`;
  const more = words.length > MOST_WORDS ? " ..." : "";
  element("words").textContent = words.slice(0, MOST_WORDS).join(" ") + more;
}

function showCommand(): void {
  const derivation = showAnswer(translator, command.value, correct);
  showRules(translator, derivation);
  setLink(command.value);
}

/** Put the word that was meant in place of the wrong one: of equal words, the one at this position. */
function correct({ word, nearest, position }: Failure): void {
  let count = 0;
  const corrected = command.value.replace(/\S+/g, (run) => {
    return ++count === position ? run.replace(word ?? "", () => nearest ?? "") : run;
  });
  ask(corrected);
}

function ask(text: string): void {
  command.value = text;
  command.focus();
  showCommand();
}

function showAll(): void {
  showModel();
  showAnswers();
  showLists(translator, showAnswers);
}

function showAnswers(): void {
  showCommand();
  showPairs(translator, ask);
}

function open(other: Translator): void {
  translator = other;
  showAll();
}

function fail(problem: string): void {
  const answer = element("answer");
  answer.classList.add("refused");
  answer.replaceChildren(make("b", "not opened"), ` ${problem}`);
}

/** A short command with a rule in it, as a start. */
function example(): string {
  const provided = element("model").dataset["command"];
  if (provided) return provided;
  return translator.info.words.find((word) => translator.translate(word).ok) ?? "";
}

command.addEventListener("input", showCommand);
element("all").addEventListener("change", showCommand);
element("pairs").addEventListener("input", () => showPairs(translator, ask));
element("link").addEventListener("click", async () => {
  element("link").textContent = await copyLink();
});
window.addEventListener("hashchange", () => ask(linked() ?? ""));
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    command.select();
  } else if (event.key === "Escape") {
    ask("");
  }
});
listen(open, fail);
command.value = linked() ?? example();
showAll();
