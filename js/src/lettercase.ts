/** Letter case by a rule that is the same in every language; base/lettercase.py says more. */

const LETTERS = /[\u0041-\u052f]/g;

/** The text with Latin, Greek and Cyrillic letters small, where their small letter is one code point. */
export function fold(text: string): string {
  return text.replace(LETTERS, (letter) => {
    const small = letter.toLowerCase();
    return small.length === 1 ? small : letter;
  });
}
