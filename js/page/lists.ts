/** The lists of a model's slots, typed or pasted by the user. */

import type { Translator } from "../src/index.js";
import { element, make } from "./elements.js";

const OWN = ["number", "text"]; // slots without lists

/** Show a field for each slot that takes a list; `changed` is called when one was given. */
export function showLists(translator: Translator, changed: () => void): void {
  const slots = translator.info.schemes.slots.filter((name) => !OWN.includes(name));
  element("lists-section").hidden = slots.length === 0;
  element("lists").replaceChildren(...slots.map((name) => field(translator, name, changed)));
}

function field(translator: Translator, name: string, changed: () => void): HTMLElement {
  const box = make("div");
  const label = make("label", `{${name}}`);
  const area = make("textarea");
  const note = make("p", "", "note");
  area.id = `list-${name}`;
  area.rows = 3;
  area.spellcheck = false;
  area.placeholder = "one entry a line";
  area.value = (translator.lists[name] ?? []).join("\n");
  label.htmlFor = area.id;
  note.setAttribute("role", "status");
  area.addEventListener("input", () => {
    note.textContent = give(translator, name, area.value);
    changed();
  });
  box.append(label, area, note);
  return box;
}

/** Give the entries of a field; returns what the user should know. */
function give(translator: Translator, name: string, text: string): string {
  try {
    const idle = translator.setList(name, text.split("\n").filter((line) => line.trim()));
    return idle.length ? `never heard, as their words have a meaning already: ${idle.slice(0, 5).join(", ")}` : "";
  } catch (error) {
    return String((error as Error).message);
  }
}
