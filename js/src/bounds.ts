/** Every bound of the program format; docs/format.md has the table. */

export const MAX_FILE_BYTES = 64 * 2 ** 20;
export const MAX_TOKENS = 100_000; // words, and actions
export const MAX_TOKEN_LENGTH = 256; // code points
export const MAX_NODES = 1_000_000;
export const MAX_RULES = 1_000_000;
export const MAX_USES = Number.MAX_SAFE_INTEGER;
export const MAX_OUTPUT_BYTES = 2 ** 26; // of one answer; without it a small file could ask for gigabytes
export const MAX_TEXT_WORDS = 32; // of a free text in a command
export const MAX_TEXT_LENGTH = 256; // code points of the text of a slot, as of any token
export const MAX_PROVENANCE_BYTES = 65_536;
export const MAX_PROVENANCE_DEPTH = 8;

/** Limits of a program's input, output and tables: the keys in the order of the file, and their ranges. */
export const RANGES = {
  max_words: [1, 1_000_000],
  max_actions: [1, 10_000_000],
  max_span: [1, 8],
  max_variables: [1, 4],
  max_template: [1, 100],
} as const;

export type Limits = Readonly<Record<keyof typeof RANGES, number>>;
