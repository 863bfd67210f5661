/** Pairs pasted by the user: each passes or fails. */

import type { Translator } from "../src/index.js";
import { filled } from "../src/index.js";
import { splitWords } from "../src/codepoint.js";
import { NUMBER, replaced, TEXT } from "../src/placeholder.js";
import { element, make } from "./elements.js";

const MOST_SHOWN = 1000; // results: more stall the page

interface Pair {
  readonly command: string;
  readonly output: string;
}

interface Pasted {
  readonly pairs: readonly Pair[];
  /** The numbers of lines that are none. */
  readonly strays: readonly number[];
}

/** A pair a line: `command<TAB>output`, SCAN's `IN: command OUT: output`, or `{"in": ..., "out": ...}`. */
export function readPairs(text: string): Pasted {
  const pairs: Pair[] = [];
  const strays: number[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (!line.trim()) continue;
    const pair = readPair(line);
    if (pair?.command && pair.output) pairs.push(pair);
    else strays.push(index + 1);
  }
  return { pairs, strays };
}

function readPair(line: string): Pair | null {
  const found = /^\s*IN: (.*)\sOUT: (.*)$/.exec(line) ?? /^([^\t]*)\t([^\t]*)$/.exec(line);
  if (found) return { command: found[1]!.trim(), output: found[2]!.trim() };
  try {
    const { in: command, out: output } = JSON.parse(line) as Record<string, unknown>;
    return { command: sideOf(command), output: sideOf(output) };
  } catch {
    return null;
  }
}

function sideOf(side: unknown): string {
  const words = Array.isArray(side) ? side : [side];
  return words.every((word) => typeof word === "string") ? words.join(" ").trim() : "";
}

/** A text for each slot of a model that has one: in a pair a slot stands for any text that fills it. */
function examples({ info, lists }: Translator): Map<string, string> {
  const found = new Map<string, string>();
  const words = new Set(info.words);
  for (const name of info.schemes.slots) {
    const text = name === NUMBER ? freshNumber(words) : name === TEXT ? freshWord(words) : entry(lists, name);
    if (text) found.set(name, text);
  }
  return found;
}

/** The pair with its slots filled, unless its output takes the word of a slot for what a user typed. */
function filledPair({ command, output }: Pair, texts: ReadonlyMap<string, string>): Pair {
  const given = [...texts].filter(([name]) => !output.includes(`%7B${name}%7D`));
  const tokens = new Map(given.map(([name, text]) => [name, filled(name, text)]));
  return { command: replaced(command, new Map(given)), output: replaced(output, tokens) };
}

function freshNumber(words: ReadonlySet<string>): string {
  let number = 12;
  while (words.has(String(number))) number++;
  return String(number);
}

function freshWord(words: ReadonlySet<string>): string {
  let word = "something";
  while (words.has(word)) word += "x";
  return word;
}

/** An entry of a list that no other list has, if there is one. */
function entry(lists: Translator["lists"], name: string): string | undefined {
  const others = new Set(Object.keys(lists).flatMap((other) => (other === name ? [] : lists[other]!)));
  return lists[name]?.find((text) => !others.has(text)) ?? lists[name]?.[0];
}

/** Test the pairs of the text field; `show` is called with the command of a result that is clicked. */
export function showPairs(translator: Translator, show: (command: string) => void): void {
  const { pairs, strays } = readPairs(element<HTMLTextAreaElement>("pairs").value);
  const texts = examples(translator);
  const isPlain = translator.info.schemes.target === "whitespace";
  let passed = 0;
  const items = pairs.map((pair) => {
    const { command, output } = filledPair(pair, texts);
    const answer = translator.translate(command);
    const expected = isPlain ? splitWords(output).join(" ") : output;
    const isRight = answer.ok && answer.text === expected;
    passed += Number(isRight);
    const item = make("li", "", isRight ? "pass" : "fail");
    const button = make("button", command);
    button.type = "button";
    button.addEventListener("click", () => show(command));
    item.append(button);
    if (!isRight) item.append(` gives ${answer.error ? answer.error.message : answer.text}; expected ${expected}`);
    return item;
  });
  items.sort((left, right) => left.className.localeCompare(right.className)); // failures first
  element("results").replaceChildren(...items.slice(0, MOST_SHOWN));
  const score = pairs.length ? [`${passed} of ${pairs.length} passed`] : [];
  if (strays.length) score.push(`no pair in line ${shortList(strays)}`);
  element("score").textContent = score.join("; ");
}

function shortList(numbers: readonly number[]): string {
  return numbers.length > 3 ? `${numbers.slice(0, 3).join(", ")} and ${numbers.length - 3} more` : numbers.join(", ");
}
