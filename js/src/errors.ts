/** The exceptions of the runtime, and the codes of the failures it returns. */

export const UNKNOWN_WORD = "unknown-word";
export const TOO_MANY_WORDS = "too-many-words";
export const TOO_MANY_ACTIONS = "too-many-actions";
export const BEYOND_MODEL = "beyond-model";
export const NOT_LEARNED = "not-learned";
export const EMPTY = "empty";
export const TEXT_TOO_LONG = "text-too-long";

/** A model that cannot be used: the message names the file, the place and the remedy. */
export class ModelError extends Error {
  override name = "ModelError";
}

/** A program (`.lane`) that breaks a rule of the format; `place` says where. */
export class ProgramError extends ModelError {
  override name = "ProgramError";

  constructor(
    readonly place: string,
    readonly problem: string,
  ) {
    super(`${place}: ${problem}`);
  }
}
