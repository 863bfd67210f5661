/** Elements of the page. */

/** The element with this id, which the page has. */
export function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** A new element with a text. */
export function make<K extends keyof HTMLElementTagNameMap>(tag: K, text = "", kind = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = kind;
  return made;
}
