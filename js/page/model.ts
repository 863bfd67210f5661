/** The model of the page: the one inside, or a file that the user opens or drops. */

import type { Translator } from "../src/index.js";
import { load } from "../src/index.js";
import { element } from "./elements.js";

/** The model that was written into the page. */
export function embedded(): Translator {
  const script = element("model");
  const data = Uint8Array.from(atob(script.textContent ?? ""), (character) => character.charCodeAt(0));
  const lists = JSON.parse(script.dataset["lists"] ?? "{}") as Record<string, string[]>;
  return load(data, { name: script.dataset["name"] ?? "", lists });
}

/** Call `opened` with every file that the user opens or drops, and `failed` with the problem of a bad one. */
export function listen(opened: (translator: Translator) => void, failed: (problem: string) => void): void {
  const open = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    try {
      opened(load(new Uint8Array(await file.arrayBuffer()), { name: file.name }));
    } catch (error) {
      failed(String((error as Error).message));
    }
  };
  const input = element<HTMLInputElement>("file");
  input.addEventListener("change", () => {
    void open(input.files?.[0]);
    input.value = ""; // so that the same file can be opened again
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  for (const end of ["dragleave", "drop"]) {
    document.addEventListener(end, () => document.body.classList.remove("dropping"));
  }
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    void open(event.dataTransfer?.files[0]);
  });
}
