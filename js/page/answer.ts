/** The answer to a command, or why it is refused; and the derivation. */

import type { Derivation, Failure, Translator } from "../src/index.js";
import { asSvg, asText, filled } from "../src/index.js";
import { element, make } from "./elements.js";

const MOST_DRAWN = 200; // steps: more would make a picture that nobody reads
const CORRECTED = new Set(["unknown-word"]); // failures whose nearest word can take the place of the wrong one

/** Show what the model says; `correct` puts the word that was probably meant into the command. */
export function showAnswer(translator: Translator, text: string, correct: (failure: Failure) => void): Derivation {
  const derivation = translator.explain(text);
  const { error } = derivation;
  const answer = element("answer");
  answer.classList.toggle("refused", error !== null && error.code !== "empty");
  if (!error) {
    answer.replaceChildren(...marked(derivation));
  } else if (error.code === "empty") {
    answer.replaceChildren();
  } else {
    answer.replaceChildren(make("b", error.code), ` ${error.message}`);
    if (error.nearest && CORRECTED.has(error.code)) {
      const button = make("button", `use ${error.nearest}`);
      button.type = "button";
      button.addEventListener("click", () => correct(error));
      answer.append(button);
    }
  }
  showDerivation(derivation);
  return derivation;
}

/** The output, with the texts of slots as they are: no action of the model. */
function marked({ text, slots }: Derivation): (string | HTMLElement)[] {
  const textOf = new Map(slots.map((slot) => [filled(slot.name, slot.text), slot]));
  if (!textOf.size) return [text];
  return text.split(/(\{[a-z][^{}]*\})/).map((part) => {
    const slot = textOf.get(part);
    if (!slot) return part;
    const mark = make("mark", slot.text);
    mark.title = `{${slot.name}} from word ${slot.position}`;
    return mark;
  });
}

function showDerivation(derivation: Derivation): void {
  const { steps } = derivation;
  // Texts inside the picture are escaped by `asSvg`.
  element("picture").innerHTML = steps.length && steps.length <= MOST_DRAWN ? asSvg(derivation) : "";
  element("steps").textContent = derivation.words.length ? asText(derivation) : "";
}
