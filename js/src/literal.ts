/** Values of JSON as Python writes them, so that messages are the same in both runtimes. */

import type { Json } from "./json.js";
import { Float, Members } from "./json.js";

// Of Python's `str.isprintable`; characters newer than Python's Unicode tables are escaped there only.
const UNPRINTABLE = /[\p{C}\p{Z}]/u;
const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };
const JSON_ESCAPES: Readonly<Record<string, string>> = { ...ESCAPES, '"': '\\"', "\b": "\\b", "\f": "\\f" };

/** A string as by `repr`. */
export function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let inside = "";
  for (const character of text) {
    if (character === quote) inside += `\\${quote}`;
    else inside += ESCAPES[character] ?? (isPrintable(character) ? character : escaped(character));
  }
  return quote + inside + quote;
}

function isPrintable(character: string): boolean {
  return character === " " || !UNPRINTABLE.test(character);
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}

/** Any value as by `repr`. */
export function repr(value: Json): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return quoted(value);
  if (value instanceof Float) return float(value.value);
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
  if (value instanceof Members) {
    return `{${value.entries.map(([key, member]) => `${quoted(key)}: ${repr(member)}`).join(", ")}}`;
  }
  return String(value);
}

/** Any value as by `json.dumps(value, ensure_ascii=False)`. */
export function dumps(value: Json): string {
  if (typeof value === "string") return jsonString(value);
  if (value instanceof Float) return float(value.value);
  if (Array.isArray(value)) return `[${value.map(dumps).join(", ")}]`;
  if (value instanceof Members) {
    return `{${value.entries.map(([key, member]) => `${jsonString(key)}: ${dumps(member)}`).join(", ")}}`;
  }
  return String(value);
}

function jsonString(text: string): string {
  const inside = text.replace(/["\\\x00-\x1f]/g, (found) => {
    return JSON_ESCAPES[found] ?? `\\u${hex(found.charCodeAt(0), 4)}`;
  });
  return `"${inside}"`;
}

/** A double with the fewest digits, in Python's choice of notation. */
export function float(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const [digits = "", power = ""] = Math.abs(value).toExponential().split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    const mark = exponent < 0 ? "-" : "+";
    return `${sign}${digits}e${mark}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  const all = digits.replace(".", "");
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${all}`;
  const whole = all.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${all.slice(exponent + 1) || "0"}`;
}
