/** The results of a translator. */

import type { Schemes } from "./scheme.js";

/** Why a command has no translation. */
export interface Failure {
  /** One of the documented codes, for programs. */
  readonly code: string;
  /** One line for people. */
  readonly message: string;
  /** The word at fault. */
  readonly word: string | null;
  /** The position of that word in the command, counted from 1. */
  readonly position: number | null;
  /** The known word nearest to an unknown one, or the learned rule nearest to what was not learned. */
  readonly nearest: string | null;
}

/** The text that filled a slot of a command. */
export interface SlotText {
  /** Of the slot. */
  readonly name: string;
  /** A number or free text as typed, or the entry of a list as the application gave it. */
  readonly text: string;
  /** Of its first word among the words typed, counted from 1. */
  readonly position: number;
}

/** The answer to one command: `text`, or an `error`. */
export interface Translation {
  readonly ok: boolean;
  /** The output: the actions, joined by the model's scheme; empty if there is an error. */
  readonly text: string;
  readonly error: Failure | null;
  /** The actions one by one. */
  readonly actions: readonly string[];
  /** The texts of slots that the command holds, in its order; the actions hold them as by `filled`. */
  readonly slots: readonly SlotText[];
}

/** The card of a loaded model. */
export interface Info {
  /** The name given to `load`. */
  readonly name: string;
  readonly formatVersion: number;
  /** The checksum inside the file. */
  readonly sha256: string;
  readonly words: readonly string[];
  readonly actions: readonly string[];
  readonly maxWords: number;
  readonly maxActions: number;
  /** No command over the vocabulary leads beyond the model. */
  readonly complete: boolean;
  readonly nodes: number;
  readonly rules: number;
  /** The smallest distance between the best and the second-best choice seen at export. */
  readonly margin: number | null;
  /** Share of unlabelled commands on which independent trainings agree. */
  readonly agreement: number | null;
  /** It knows what was learned, and refuses the rest. */
  readonly refuses: boolean;
  /** Where the model came from; whole numbers beyond 2^53 are of type bigint. */
  readonly provenance: Readonly<Record<string, unknown>>;
  readonly schemes: Schemes;
}

/** The answer with this text; its actions are split off when somebody asks. */
export class Answer implements Translation {
  readonly ok = true;
  readonly error = null;
  readonly slots: readonly SlotText[] = [];

  constructor(readonly text: string) {}

  get actions(): readonly string[] {
    return this.text ? this.text.split(" ") : [];
  }
}

/** The answer to a command that failed. */
export function refused(error: Failure): Translation {
  return { ok: false, text: "", error, actions: [], slots: [] };
}
