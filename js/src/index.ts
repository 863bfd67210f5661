/** The runtime for `.lane` programs: load the bytes of a file and translate. */

export type { Derivation, Step } from "./derivation.js";
export { asPlain, asText, asTree, stepValue } from "./derivation.js";
export { ModelError, ProgramError } from "./errors.js";
export { asSvg } from "./picture.js";
export { filled, slotText } from "./placeholder.js";
export type { Failure, Info, SlotText, Translation } from "./results.js";
export type { Rule } from "./rule.js";
export { rulesText, ruleText } from "./rule.js";
export type { Schemes } from "./scheme.js";
export type { Options, Translator } from "./translator.js";
export { load } from "./translator.js";
