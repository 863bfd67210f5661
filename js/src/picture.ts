/** Derivations as self-contained SVG pictures, for light and dark colour schemes. */

import { length } from "./codepoint.js";
import type { Derivation, Step } from "./derivation.js";
import { isFilled, roots, shorten } from "./derivation.js";
import { ruleText, VARIABLE } from "./rule.js";

const CHARACTER = 7.83; // width in pixels in common monospace fonts of 13 px
const LINE = 18;
const PAD = 10;
const [GAP_X, GAP_Y] = [18, 34];
const MARGIN = 20;
const WRAP = 40; // characters of a box's line
const MAX_VALUE = 40; // actions shown of a value
const MAX_LABEL = 1000; // characters shown of a rule or a value: tokens may be long too
const NOT_XML = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]/gu;
const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };

const STYLE = `
.lane text { font: 13px "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1b1f24; }
.lane .value { fill: #0b5394; }
.lane .word { fill: #57606a; }
.lane rect { fill: #f6f8fa; stroke: #8c959f; }
.lane .root { fill: #e8f1fb; stroke: #0b5394; }
.lane .stray { fill: #fdeceb; stroke: #b42318; }
.lane path { fill: none; stroke: #8c959f; }
@media (prefers-color-scheme: dark) {
.lane text { fill: #e6edf3; }
.lane .value { fill: #79b8ff; }
.lane .word { fill: #9da7b3; }
.lane rect { fill: #1f242b; stroke: #6e7681; }
.lane .root { fill: #10263f; stroke: #79b8ff; }
.lane .stray { fill: #3d1a18; stroke: #ff8f85; }
.lane path { stroke: #6e7681; }
}
`;

/** A step, or a literal word of a step's span. */
interface Box {
  /** Class and text, from top to bottom. */
  readonly lines: readonly (readonly [string, string])[];
  readonly parts: readonly Box[];
  /** null: a word, without a frame. */
  readonly step: Step | null;
  readonly width: number;
  readonly height: number;
  /** Width of the subtree. */
  readonly spread: number;
  x: number;
  y: number;
}

/** The picture of a derivation: each box is a rule with its value, above those whose values it takes. */
export function asSvg(derivation: Derivation): string {
  const boxes = boxesOf(derivation);
  const tops = new Set(roots(derivation));
  let x = MARGIN;
  for (const box of boxes) {
    if (!box.step || !tops.has(box.step)) continue;
    [box.x, box.y] = [x, MARGIN];
    x += box.spread + GAP_X;
  }
  place(boxes);
  const bottom = boxes.reduce((lowest, box) => Math.max(lowest, box.y + box.height), 0);
  const [width, height] = [Math.round(x - GAP_X + MARGIN), Math.round(bottom + MARGIN)];
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const title = clean(derivation.words.join(" "));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="lane" role="img" ${size}><title>${title}</title>`,
    `<style>${STYLE}</style>`,
    ...boxes.flatMap((box) => elements(box, box.step !== null && tops.has(box.step))),
    "</svg>\n",
  ].join("\n");
}

/** All boxes, children before parents. */
function boxesOf(derivation: Derivation): Box[] {
  const boxes: Box[] = [];
  const ofStep: Box[] = [];
  for (const step of derivation.steps) {
    const steps = step.parts.map((number) => ofStep[number - 1]!);
    // A rule of one word needs no child; in longer spans the literal words are children too.
    const names = step.rule.span.length > 1 ? step.rule.span : [];
    const parts = names.map((name) => (name.startsWith(VARIABLE) ? steps.shift()! : wordBox(name)));
    boxes.push(...parts.filter((part) => !part.step));
    const box = measured(labels(step), parts, step);
    boxes.push(box);
    ofStep.push(box);
  }
  return boxes;
}

function wordBox(word: string): Box {
  return measured([["word", word]], [], null);
}

function measured(lines: Box["lines"], parts: readonly Box[], step: Step | null): Box {
  const width = Math.max(...lines.map(([, text]) => length(text))) * CHARACTER + (step ? 2 * PAD : 0);
  const height = lines.length * LINE + (step ? PAD : 0);
  return { lines, parts, step, width, height, spread: Math.max(width, below(parts)), x: 0, y: 0 };
}

function below(parts: readonly Box[]): number {
  return parts.reduce((sum, part) => sum + part.spread, GAP_X * (parts.length - 1));
}

function labels(step: Step): [string, string][] {
  const rule = wrap(cut(ruleText(step.rule).replace("->", "→"))).map((line): [string, string] => ["rule", line]);
  if (step.rule.span.length < 2 && !isFilled(step)) return rule;
  return [...rule, ...wrap(cut(shorten(step, MAX_VALUE))).map((line): [string, string] => ["value", line])];
}

function cut(text: string): string {
  return text.length <= MAX_LABEL ? text : `${text.slice(0, MAX_LABEL)}...`;
}

/** Lines of at most WRAP characters, broken at spaces. */
function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && length(last) + 1 + length(word) <= WRAP) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** From the roots down; `x` is the left edge of the subtree until the box is centred. */
function place(boxes: readonly Box[]): void {
  for (const box of [...boxes].reverse()) {
    let x = box.x + (box.spread - below(box.parts)) / 2;
    for (const part of box.parts) {
      [part.x, part.y] = [x, box.y + box.height + GAP_Y];
      x += part.spread + GAP_X;
    }
    box.x += (box.spread - box.width) / 2;
  }
}

function elements(box: Box, isRoot: boolean): string[] {
  const middle = box.x + box.width / 2;
  const drawn = box.parts.map((part) => curve(middle, box.y + box.height, part.x + part.width / 2, part.y));
  if (box.step) {
    const kind = box.step.learned ? (isRoot ? "root" : "box") : "stray";
    const size = `width="${box.width.toFixed(1)}" height="${box.height.toFixed(1)}"`;
    drawn.push(`<rect class="${kind}" x="${box.x.toFixed(1)}" y="${box.y.toFixed(1)}" ${size} rx="6"/>`);
  }
  const top = box.y + (box.step ? PAD / 2 : 0);
  for (const [number, [kind, text]] of box.lines.entries()) {
    const at = `x="${middle.toFixed(1)}" y="${(top + (number + 1) * LINE - 5).toFixed(1)}"`;
    drawn.push(`<text class="${kind}" ${at} text-anchor="middle">${clean(text)}</text>`);
  }
  return drawn;
}

function curve(x: number, y: number, toX: number, toY: number): string {
  const bend = ((y + toY) / 2).toFixed(1);
  const [from, to] = [`${x.toFixed(1)} ${y.toFixed(1)}`, `${toX.toFixed(1)} ${toY.toFixed(1)}`];
  return `<path d="M${from}C${x.toFixed(1)} ${bend} ${toX.toFixed(1)} ${bend} ${to}"/>`;
}

/** Escaped for XML, which forbids control characters; unknown words may hold them. */
function clean(text: string): string {
  return text.replace(NOT_XML, "\ufffd").replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
}
