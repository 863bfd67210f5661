/** Programs from the bytes of a `.lane` file. The format: docs/format.md. */

import type { Limits } from "./bounds.js";
import { MAX_FILE_BYTES, MAX_PROVENANCE_BYTES, MAX_PROVENANCE_DEPTH, RANGES } from "./bounds.js";
import { length } from "./codepoint.js";
import { ProgramError } from "./errors.js";
import type { Json } from "./json.js";
import { Float, JsonError, Members, NestingError, parse, plain } from "./json.js";
import type { RuleKind } from "./kind.js";
import { dumps, float, quoted, repr } from "./literal.js";
import { SchemeError } from "./phrase.js";
import type { Rule } from "./rule.js";
import { Schemes } from "./scheme.js";
import { sha256 } from "./sha256.js";
import { Utf8Error } from "./utf8.js";

/** A leaf (`$` or an unrecognised word), or a merge of two trees. */
export type Tree = string | readonly [Tree, Tree];

/** A merge of two items: the pair with the highest rank goes first, the leftmost on a tie. */
export interface Node {
  readonly left: Tree;
  readonly right: Tree;
  readonly rank: number | bigint;
  readonly recognized: boolean;
}

/** The content of a file, of the right types; `Tables` checks it against the rules of the format. */
export interface Program {
  readonly version: number;
  readonly sha256: string;
  readonly complete: boolean;
  readonly limits: Limits;
  readonly margin: number | null;
  readonly agreement: number | null;
  readonly provenance: Readonly<Record<string, unknown>>;
  readonly actions: readonly string[];
  readonly words: readonly (readonly [string, boolean])[];
  readonly nodes: readonly Node[];
  readonly rules: readonly Rule[];
  readonly kinds: readonly RuleKind[] | null;
  readonly schemes: Schemes;
}

const MAGIC = '{"lane-program": ';
const HEADER = /^\{"lane-program": ([0-9]{1,9}), "sha256": "([0-9a-f]{64})",\n/;
const VERSION = /^\{"lane-program": ([0-9]{1,9})\b/;
const HEAD = 200; // bytes that are enough for the first line
const KEYS = ["complete", "limits", "margin", "trust", "provenance", "actions", "words", "nodes", "rules"];
const KEYS_OF = new Map([
  [1, KEYS],
  [2, ["schemes", ...KEYS, "kinds"]],
  [3, ["schemes", ...KEYS, "kinds"]],
]);
const SPOKEN_VERSION = 3; // of programs with slots, words to skip or folded case, and of no others
const SCHEMES = ["source", "target", "phrases"];
const MOST_NESTED = 8; // levels of a side of a node
const KIND_NAMES = { boolean: "bool", string: "str", number: "int" } as const;

/** Check the first line, the checksum, the JSON and the types, in this order. */
export function decode(data: Uint8Array): Program {
  if (data.length > MAX_FILE_BYTES) throw new ProgramError("file", `is larger than ${MAX_FILE_BYTES} bytes`);
  const start = latin1(data.subarray(0, HEAD));
  const header = HEADER.exec(start);
  const version = Number(header?.[1]);
  const keys = KEYS_OF.get(version);
  if (!header || !keys) throw new ProgramError("line 1", whatIsWrong(start));
  if (sha256(data.subarray(header[0].length)) !== header[2]) {
    throw new ProgramError("sha256", "does not match the content: the file is damaged or was edited");
  }
  const content = parsed(data);
  const all = ["lane-program", "sha256", ...keys];
  if (!isEqual(content.keys, all)) {
    throw new ProgramError("file", `the keys must be ${all.join(", ")}, in this order`);
  }
  try {
    return { version, sha256: header[2], ...fields(content, version) };
  } catch (error) {
    throw nested(error);
  }
}

/** Workers have small stacks: a file may be nested too deeply for one before it is for Python. */
function nested(error: unknown): unknown {
  const isTooDeep = error instanceof NestingError || error instanceof RangeError;
  return isTooDeep ? new ProgramError("file", "is nested too deeply") : error;
}

function fields(content: Members, version: number): Omit<Program, "version" | "sha256"> {
  const complete = typed("complete", content.get("complete"), "boolean");
  const limits = readLimits(content.get("limits"));
  const margin = figure("margin", content.get("margin"));
  const agreement = figure("trust", content.get("trust"));
  const provenance = object("provenance", content.get("provenance"));
  const actions = list(content, "actions").map((action, place) => typed(`actions[${place}]`, action, "string"));
  const words = list(content, "words").map((row, place) => readRow("words", place, row, ["string", "boolean"]));
  const nodes = list(content, "nodes").map((row, place) => readNode(place, row));
  const rules = list(content, "rules").map((row, place) => readRule(place, row));
  const schemes = content.keys.includes("schemes") ? readSchemes(content.get("schemes"), version) : new Schemes();
  const kinds = content.keys.includes("kinds") ? readKinds(content) : null;
  checkFigure("margin", margin, Number.POSITIVE_INFINITY);
  checkFigure("agreement", agreement, 1);
  const unsafe = schemes.unsafe(actions);
  if (unsafe !== undefined) {
    throw new ProgramError("actions", `${quoted(unsafe)} stands for a control character or a line end`);
  }
  return {
    complete,
    limits,
    margin,
    agreement,
    provenance: checkedProvenance(provenance),
    actions,
    words: words as unknown as [string, boolean][],
    nodes,
    rules,
    kinds,
    schemes,
  };
}

function latin1(data: Uint8Array): string {
  return String.fromCharCode(...data);
}

function whatIsWrong(start: string): string {
  const version = VERSION.exec(start);
  if (version && !KEYS_OF.has(Number(version[1]))) {
    return (
      `format version ${Number(version[1])}, but this runtime reads versions ` +
      `${[...KEYS_OF.keys()].join(", ")}: use a matching version of the package`
    );
  }
  if (version && start.includes("\r\n")) {
    return "its line ends were changed to CR LF: fetch the file again as binary";
  }
  if (!start) return "the file is empty";
  const kinds = [
    ["version https://git-lfs", "is a git-lfs pointer, not the file itself: run `git lfs pull`"],
    ["PK\x03\x04", "is a zip archive (TorchScript archives and .pt files are), not a program"],
    ["\x1f\x8b", "is compressed with gzip: unpack it first"],
  ] as const;
  const found = kinds.find(([magic]) => start.startsWith(magic));
  return found?.[1] ?? `is not a LAnE program: the file must begin with ${MAGIC}`;
}

function parsed(data: Uint8Array): Members {
  try {
    return object("file", parse(data));
  } catch (error) {
    if (error instanceof JsonError || error instanceof Utf8Error) {
      throw new ProgramError("file", `is not the JSON of a program: ${error.message}`);
    }
    throw nested(error);
  }
}

interface Typed {
  boolean: boolean;
  string: string;
}

function typed<K extends keyof Typed>(place: string, value: Json, kind: K): Typed[K] {
  if (typeof value !== kind) throw new ProgramError(place, `is not of the type ${KIND_NAMES[kind]}`);
  return value as unknown as Typed[K];
}

function object(place: string, value: Json): Members {
  if (!(value instanceof Members)) throw new ProgramError(place, "is not of the type dict");
  return value;
}

function list(content: Members, key: string): Json[] {
  const value = content.get(key);
  if (!Array.isArray(value)) throw new ProgramError(key, "is not of the type list");
  return value;
}

type Kind = "boolean" | "string" | "number" | "list";

function readRow(key: string, place: number, row: Json, kinds: readonly Kind[]): Json[] {
  if (Array.isArray(row) && isEqual(row.map(kindOf), kinds)) return row;
  const names = kinds.map((kind) => (kind === "list" ? kind : KIND_NAMES[kind]));
  throw new ProgramError(`${key}[${place}]`, `is not a row of the form [${names.join(", ")}]`);
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return "list";
  return isWhole(value) ? "number" : typeof value;
}

function isWhole(value: Json | undefined): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function readLimits(value: Json): Limits {
  const limits = object("limits", value);
  const names = Object.keys(RANGES) as (keyof typeof RANGES)[];
  if (!isEqual(limits.keys, names)) {
    throw new ProgramError("limits", `the keys must be ${names.join(", ")}, in this order`);
  }
  // Their values are checked later, as in Python: the first problem of a file is the one that is named.
  return Object.fromEntries(limits.entries) as unknown as Limits;
}

/** Raise ProgramError unless every limit is in its range. */
export function checkLimits(limits: Limits): void {
  for (const [name, [low, high]] of Object.entries(RANGES)) {
    const value = limits[name as keyof Limits] as unknown as Json;
    if (typeof value !== "number" || value < low || value > high) {
      throw new ProgramError(`limits.${name}`, `${repr(value)} is not a whole number from ${low} to ${high}`);
    }
  }
  if (limits.max_template > limits.max_actions) {
    throw new ProgramError("limits.max_template", "is larger than max_actions");
  }
}

function readSchemes(value: Json, version: number): Schemes {
  const schemes = object("schemes", value);
  const names = version === SPOKEN_VERSION ? [...SCHEMES, "slots", "skips", "folds"] : SCHEMES;
  if (!isEqual(schemes.keys, names)) {
    throw new ProgramError("schemes", `the keys must be ${names.join(", ")}, in this order`);
  }
  const found = checkedSchemes(schemes);
  if (version === SPOKEN_VERSION && !found.isSpoken) {
    throw new ProgramError("schemes", "has no slots, skips or folds: that is a program of version 2");
  }
  return found;
}

function checkedSchemes(schemes: Members): Schemes {
  try {
    const [source, target, ...parts] = schemes.entries.map(([, part]) => part) as [Json, Json, Json];
    return Schemes.checked(source, target, ...parts);
  } catch (error) {
    if (error instanceof SchemeError) throw new ProgramError("schemes", error.message);
    throw error;
  }
}

function figure(place: string, value: Json): number | null {
  if (value === null) return null;
  if (value instanceof Float) return value.value;
  throw new ProgramError(place, "is neither null nor a number with a decimal point or an exponent");
}

function checkFigure(name: string, value: number | null, high: number): void {
  if (value === null || (Number.isFinite(value) && value >= 0 && value <= high)) return;
  const range = `[0.0, ${float(high)}]`;
  throw new ProgramError(name, `${float(value)} is neither null nor a finite number in ${range}`);
}

function checkedProvenance(provenance: Members): Readonly<Record<string, unknown>> {
  const text = dumps(provenance);
  const surrogate = /[\ud800-\udfff]/u.exec(text);
  if (surrogate) {
    const where = `character ${quoted(surrogate[0])} in position ${length(text.slice(0, surrogate.index))}`;
    const problem = `'utf-8' codec can't encode ${where}: surrogates not allowed`;
    throw new ProgramError("provenance", `is not plain JSON: ${problem}`);
  }
  const size = utf8Length(text);
  if (size > MAX_PROVENANCE_BYTES) {
    throw new ProgramError("provenance", `takes ${size} bytes; at most ${MAX_PROVENANCE_BYTES} are allowed`);
  }
  if (isDeeper(provenance, MAX_PROVENANCE_DEPTH)) {
    throw new ProgramError("provenance", `is not an object at most ${MAX_PROVENANCE_DEPTH} levels deep`);
  }
  return plain(provenance) as Record<string, unknown>;
}

/** Bytes of a text without surrogates that stand alone. */
export function utf8Length(text: string): number {
  let size = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    size += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return size;
}

function isDeeper(value: Json, levels: number): boolean {
  if (!Array.isArray(value) && !(value instanceof Members)) return false;
  const parts = Array.isArray(value) ? value : value.entries.map(([, member]) => member);
  return levels === 0 || parts.some((part) => isDeeper(part, levels - 1));
}

function readNode(place: number, row: Json): Node {
  if (!Array.isArray(row) || row.length !== 4 || !isWhole(row[2]) || typeof row[3] !== "boolean") {
    throw new ProgramError(`nodes[${place}]`, "is not a row of the form [left, right, rank, recognized]");
  }
  const [left, right] = row as [Json, Json];
  return {
    left: readTree(place, left, MOST_NESTED),
    right: readTree(place, right, MOST_NESTED),
    rank: row[2],
    recognized: row[3],
  };
}

function readTree(place: number, value: Json, depth: number): Tree {
  if (typeof value === "string") return value;
  if (!Array.isArray(value) || value.length !== 2 || depth === 0) {
    throw new ProgramError(`nodes[${place}]`, "a side is neither a leaf nor [left, right], or nested too deeply");
  }
  const [left, right] = value as [Json, Json];
  return [readTree(place, left, depth - 1), readTree(place, right, depth - 1)];
}

function readRule(place: number, row: Json): Rule {
  const [span, template, uses] = readRow("rules", place, row, ["string", "string", "number"]);
  // Beyond 2^53 as infinity: the tables refuse it.
  const count = typeof uses === "bigint" ? Number.POSITIVE_INFINITY : (uses as number);
  return { span: (span as string).split(" "), template: (template as string).split(" "), uses: count };
}

function readKinds(content: Members): RuleKind[] | null {
  return content.get("kinds") === null ? null : list(content, "kinds").map((row, place) => readKind(place, row));
}

function readKind(place: number, row: Json): RuleKind {
  const [root, slots, spans] = readRow("kinds", place, row, ["boolean", "list", "list"]) as [boolean, Json[], Json[]];
  if (!slots.every((slot) => Array.isArray(slot) && slot.every(isWhole))) {
    throw new ProgramError(`kinds[${place}]`, "a slot is not a list of whole numbers");
  }
  if (!spans.every((span) => typeof span === "string")) {
    throw new ProgramError(`kinds[${place}]`, "a span is not a string");
  }
  return { root, slots: slots.map((slot) => (slot as Json[]).map(Number)), spans: spans as string[] };
}

function isEqual(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((value, place) => value === right[place]);
}
