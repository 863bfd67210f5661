/** Pairs pasted by the user: each passes or fails. */

import type { Translator } from "../src/index.js";
import { element, make } from "./elements.js";

const MOST_SHOWN = 1000; // results: more stall the page

interface Pair {
  readonly command: string;
  readonly output: string;
}

/** `command<TAB>output` or SCAN's `IN: command OUT: output`, one a line. */
export function readPairs(text: string): Pair[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const found = /^IN: (.*) OUT: (.*)$/.exec(line) ?? /^([^\t]*)\t([^\t]*)/.exec(line);
    return found ? [{ command: found[1]!.trim(), output: found[2]!.trim() }] : [];
  });
}

/** Test the pairs of the text field; `show` is called with the command of a result that is clicked. */
export function showPairs(translator: Translator, show: (command: string) => void): void {
  const pairs = readPairs(element<HTMLTextAreaElement>("pairs").value);
  const isPlain = translator.info.schemes.target === "whitespace";
  let passed = 0;
  const items = pairs.map(({ command, output }) => {
    const answer = translator.translate(command);
    const expected = isPlain ? output.split(/\s+/).join(" ") : output;
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
  element("score").textContent = pairs.length ? `${passed} of ${pairs.length} passed` : "";
}
