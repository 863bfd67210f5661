/**
 * A program's tables as the loop uses them: nodes are numbered, and validated on the way.
 *
 * Node 0 is the variable `$`, then come the unrecognised words in order, then the rows of the node table.
 */

import type { Limits } from "./bounds.js";
import { MAX_NODES, MAX_OUTPUT_BYTES, MAX_RULES, MAX_TOKEN_LENGTH, MAX_TOKENS, MAX_USES } from "./bounds.js";
import { compare, length } from "./codepoint.js";
import type { Program, Tree } from "./codec.js";
import { checkLimits, utf8Length } from "./codec.js";
import { ProgramError } from "./errors.js";
import { checkKinds } from "./kind.js";
import { quoted } from "./literal.js";
import type { Rule } from "./rule.js";
import { checkSpoken } from "./spoken.js";
import { SOURCE_NAMES, TARGET_NAMES, VARIABLE } from "./rule.js";

const ERROR_MARK = "<error:"; // begins the line of a failed command in text output
const FORBIDDEN =
  /[\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ud800-\udfff]/u;

/** A rule's right side, ready for substitution. */
export interface Template {
  /** A variable's number, or a run of constant actions joined by spaces. */
  readonly pieces: readonly (number | string)[];
  /** How many constant actions. */
  readonly constants: number;
  /** How often each variable of the span is used. */
  readonly counts: readonly number[];
}

/** A merge: which comes first (0), and the node it makes. */
export interface Merge {
  readonly priority: number;
  readonly node: number;
}

/** What the greedy loop looks up. Spans have every variable as `$`, and are joined by spaces. */
export class Tables {
  readonly limits: Limits;
  /** Word -> its leaf: 0 if recognised (it becomes a variable at once), its own node otherwise. */
  readonly leafOf = new Map<string, number>();
  /** Recognised word -> its actions. */
  readonly valueOf = new Map<string, readonly string[]>();
  /** The pair (left, right) has the key left * stride + right. */
  readonly stride: number;
  readonly pairs = new Map<number, Merge>();
  readonly recognized: boolean[] = [];
  /** By node: its leaves. */
  readonly spans: string[][] = [];
  readonly ruleOf: Map<string, Rule>;
  /** The kind of each learned rule, by span; empty if the program cannot refuse. */
  readonly kindOf: Map<string, number>;
  private readonly templates = new Map<number, Template | null>();

  /** Check a program against every rule of the format, and number its nodes. */
  constructor(program: Program) {
    checkLimits(program.limits);
    this.limits = program.limits;
    checkTokens("words", program.words.map(([word]) => word));
    checkTokens("actions", program.actions);
    checkOutput(program);
    this.ruleOf = checkedRules(program);
    checkWordRules(program, this.ruleOf);
    checkSpoken(program);
    this.addLeaves(program);
    this.stride = this.spans.length + program.nodes.length;
    this.kindOf = kindsOf(program, this.ruleOf);
    this.numberNodes(program);
    const met = new Set(this.spans.map((span) => span.join(" ")));
    for (const [place, [span]] of [...this.ruleOf].entries()) {
      if (span.includes(" ") && !met.has(span)) {
        throw new ProgramError(`rules[${place}]`, `no node has the span ${quoted(span)}`);
      }
    }
  }

  /** The template of a node's span; null where the program holds no rule for it. */
  template(node: number): Template | null {
    let found = this.templates.get(node);
    if (found === undefined) {
      const rule = this.ruleOf.get(this.span(node));
      found = rule ? compiled(rule) : null;
      this.templates.set(node, found);
    }
    return found;
  }

  /** The span of a node, as a key. */
  span(node: number): string {
    return this.spans[node]!.join(" ");
  }

  private addLeaves(program: Program): void {
    this.spans.push([VARIABLE]);
    for (const [word, known] of program.words) {
      this.leafOf.set(word, known ? 0 : this.spans.length);
      if (known) this.valueOf.set(word, this.ruleOf.get(word)!.template);
      else this.spans.push([word]);
    }
    this.spans.forEach(() => this.recognized.push(false));
  }

  /** Row by row: nodes refer to earlier rows only. */
  private numberNodes(program: Program): void {
    if (program.nodes.length > MAX_NODES) throw new ProgramError("nodes", `holds more than ${MAX_NODES}`);
    const top = checkedTop(program.nodes.map(({ rank }) => rank));
    const leaves = new Map(this.spans.map(([leaf], number) => [leaf!, number]));
    const open = new Map<number, number>(); // unrecognised nodes by the key of their pair
    let previous: readonly number[] = [0, 0, 0];
    for (const [place, { left, right, rank, recognized }] of program.nodes.entries()) {
      const here = `nodes[${place}]`;
      const first = this.numbered(here, left, leaves, open);
      const second = this.numbered(here, right, leaves, open);
      const span = [...this.spans[first]!, ...this.spans[second]!];
      const order = [span.length, first, second] as const;
      if (!isAfter(order, previous)) throw new ProgramError(here, "is out of order or repeated");
      previous = order;
      if (span.length > this.limits.max_span || variables(span) > this.limits.max_variables) {
        throw new ProgramError(here, "is larger than max_span or max_variables allow");
      }
      if (recognized && !this.ruleOf.has(span.join(" "))) {
        throw new ProgramError(here, `is recognised, but ${quoted(span.join(" "))} has no rule`);
      }
      const key = first * this.stride + second;
      this.pairs.set(key, { priority: top - Number(rank), node: this.spans.length });
      if (!recognized) open.set(key, this.spans.length);
      this.spans.push(span);
      this.recognized.push(recognized);
    }
  }

  private numbered(
    here: string,
    tree: Tree,
    leaves: ReadonlyMap<string, number>,
    open: ReadonlyMap<number, number>,
  ): number {
    const find = (part: Tree): number => {
      if (typeof part === "string") return leaves.get(part) ?? Number.NaN;
      return open.get(find(part[0]) * this.stride + find(part[1])) ?? Number.NaN;
    };
    const number = find(tree);
    if (Number.isNaN(number)) {
      throw new ProgramError(here, `${shown(tree)} is neither a leaf nor an earlier unrecognised node`);
    }
    return number;
  }
}

/** Words and actions: sorted, distinct, printable, and never mistaken for a variable or an error. */
function checkTokens(place: string, tokens: readonly string[]): void {
  if (tokens.length > MAX_TOKENS) throw new ProgramError(place, `holds more than ${MAX_TOKENS}`);
  let previous = "";
  for (const [number, token] of tokens.entries()) {
    const here = `${place}[${number}]`;
    const size = length(token);
    if (size < 1 || size > MAX_TOKEN_LENGTH) {
      throw new ProgramError(here, `is empty or longer than ${MAX_TOKEN_LENGTH} characters`);
    }
    if (FORBIDDEN.test(token)) {
      throw new ProgramError(here, `${quoted(token)} holds white space or a control character`);
    }
    if (token.startsWith(VARIABLE) || token.startsWith(ERROR_MARK)) {
      throw new ProgramError(here, `${quoted(token)} begins like a variable or an error`);
    }
    if (compare(token, previous) <= 0) {
      throw new ProgramError(here, `${quoted(token)} is out of order or repeated`);
    }
    previous = token;
  }
}

function checkOutput(program: Program): void {
  const longest = program.actions.reduce((most, action) => Math.max(most, utf8Length(action) + 1), 0);
  if (program.limits.max_actions * longest > MAX_OUTPUT_BYTES) {
    const problem = `allows outputs of more than ${MAX_OUTPUT_BYTES} bytes: lower it, or shorten the actions`;
    throw new ProgramError("limits.max_actions", problem);
  }
}

/** Each rule by its span. */
function checkedRules(program: Program): Map<string, Rule> {
  if (program.rules.length > MAX_RULES) throw new ProgramError("rules", `holds more than ${MAX_RULES}`);
  const { limits } = program;
  const words = new Set(program.words.map(([word]) => word));
  const actions = new Set(program.actions);
  const ruleOf = new Map<string, Rule>();
  let previous: readonly string[] = [];
  for (const [place, rule] of program.rules.entries()) {
    const here = `rules[${place}]`;
    const { span, template, uses } = rule;
    if (span.length > limits.max_span || template.length > limits.max_template) {
      throw new ProgramError(here, "a side is empty, or longer than max_span or max_template allow");
    }
    if (compareSpans(span, previous) <= 0) throw new ProgramError(here, "is out of order or repeated");
    previous = span;
    const plain = span.map((token) => (words.has(token) ? token : VARIABLE));
    const names = span.filter((token) => !words.has(token));
    const count = names.length;
    const named = names.every((name, number) => name === SOURCE_NAMES[number]);
    if (!named || count > limits.max_variables || plain.join(" ") === VARIABLE) {
      throw new ProgramError(here, `${quoted(span.join(" "))} holds a wrong variable or an unknown word`);
    }
    const targets: readonly string[] = TARGET_NAMES.slice(0, count);
    if (!template.every((token) => actions.has(token) || targets.includes(token))) {
      throw new ProgramError(here, `${quoted(template.join(" "))} holds a wrong variable or an unknown action`);
    }
    if (uses < 0 || uses > MAX_USES) {
      throw new ProgramError(here, `uses is not a whole number from 0 to ${MAX_USES}`);
    }
    ruleOf.set(plain.join(" "), rule);
  }
  return ruleOf;
}

function checkWordRules(program: Program, ruleOf: ReadonlyMap<string, Rule>): void {
  if (!program.words.length) throw new ProgramError("words", "the vocabulary is empty");
  for (const [place, [word, known]] of program.words.entries()) {
    if ((known || program.complete) && !ruleOf.has(word)) {
      throw new ProgramError(`words[${place}]`, `${quoted(word)} has no rule of its own`);
    }
  }
}

function kindsOf(program: Program, ruleOf: ReadonlyMap<string, Rule>): Map<string, number> {
  const spans = [...ruleOf].map(([plain, rule], place) => {
    return [rule.span.join(" "), { place, plain, variables: variables(plain.split(" ")) }] as const;
  });
  return checkKinds(program.kinds ?? [], new Map(spans));
}

/** Ranks must be 0, 1, ... without a gap, so that equal orders have equal files; gives the highest. */
function checkedTop(ranks: readonly (number | bigint)[]): number {
  const distinct = new Set(ranks);
  for (const rank of distinct) {
    if (rank < 0 || rank >= distinct.size) {
      throw new ProgramError("nodes", "the ranks are not 0, 1, ... without a gap");
    }
  }
  return distinct.size - 1;
}

function compiled(rule: Rule): Template {
  const pieces: (number | string)[] = [];
  const counts = new Array<number>(rule.span.filter((token) => token.startsWith(VARIABLE)).length).fill(0);
  let constants = 0;
  for (const token of rule.template) {
    const variable = (TARGET_NAMES as readonly string[]).indexOf(token);
    const last = pieces.at(-1);
    if (variable >= 0) {
      pieces.push(variable);
      counts[variable]!++;
    } else {
      constants++;
      if (typeof last === "string") pieces[pieces.length - 1] = `${last} ${token}`;
      else pieces.push(token);
    }
  }
  return { pieces, constants, counts };
}

function variables(span: readonly string[]): number {
  return span.filter((token) => token === VARIABLE).length;
}

function isAfter(order: readonly number[], previous: readonly number[]): boolean {
  const differing = order.findIndex((value, place) => value !== previous[place]);
  return differing >= 0 && order[differing]! > previous[differing]!;
}

/** By the number of tokens, then token by token. */
function compareSpans(left: readonly string[], right: readonly string[]): number {
  if (left.length !== right.length) return left.length - right.length;
  for (const [place, token] of left.entries()) {
    const order = compare(token, right[place]!);
    if (order) return order;
  }
  return 0;
}

function shown(tree: Tree): string {
  return typeof tree === "string" ? tree : `(${tree.map(shown).join(" ")})`;
}
