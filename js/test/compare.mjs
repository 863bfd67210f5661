// Compares a runtime with the vectors of vectors.py; for Node, browsers and workers.

/** Every difference, as a line of text; and how many comparisons were made. */
export function compare(runtime, vectors) {
  const found = { compared: 0, differences: [] };
  const same = (place, ours, theirs) => {
    found.compared++;
    const [left, right] = [stable(ours), stable(theirs)];
    if (left !== right && found.differences.length < 50) found.differences.push(`${place}: ${left} is not ${right}`);
  };
  for (const model of vectors.models) compareModel(runtime, model, same);
  for (const [action, parsed] of vectors.tokens ?? []) {
    const slot = runtime.slotText(action);
    same(`token ${action}`, slot && [slot.name, slot.text], parsed);
  }
  for (const file of vectors.files) same(`${file.name}`, errorOf(() => runtime.load(bytes(file.data))), file.error);
  return found;
}

function compareModel(runtime, model, same) {
  const translator = runtime.load(bytes(model.data), { lenient: model.lenient });
  same(`${model.name}: info`, snakeInfo(translator.info), model.info);
  const rules = translator.rules().map((rule) => [rule.span.join(" "), rule.template.join(" "), rule.uses]);
  same(`${model.name}: rules`, rules, model.rules);
  same(`${model.name}: table`, runtime.rulesText(translator.rules()), model.table);
  for (const [name, entries] of Object.entries(model.lists)) {
    same(`${model.name}: list of ${name}`, translator.setList(name, entries), model.idle[name]);
  }
  for (const [name, entries, error] of model.refused) {
    const isLong = typeof entries[1] === "number"; // an entry and how many there are of it
    const given = isLong ? new Array(entries[1]).fill(entries[0]) : entries;
    same(`${model.name}: wrong list ${name}`, listError(() => translator.setList(name, given)), error);
  }
  const batch = translator.translateBatch(model.lines);
  for (const [place, line] of model.lines.entries()) {
    same(`${model.name}: ${JSON.stringify(line)}`, answer(batch[place]), model.answers[place]);
    if (model.slots.length) same(`${model.name}: slots of ${JSON.stringify(line)}`, batch[place].slots, model.slots[place]);
  }
  for (const explained of model.explained) {
    const line = model.lines[explained.line];
    const here = `${model.name}: explain ${JSON.stringify(line)}`;
    const derivation = translator.explain(line);
    same(here, runtime.asPlain(derivation), explained.data);
    same(here, runtime.asText(derivation), explained.text);
    same(here, runtime.asTree(derivation), explained.tree);
    same(here, answer(translator.translate(line)), answer(batch[explained.line]));
  }
}

function answer({ text, error, actions }) {
  if (error) return ["", error];
  return [text, ...(text.split(" ").join("\n") === actions.join("\n") ? [] : actions)];
}

function errorOf(action) {
  try {
    action();
    return null;
  } catch (error) {
    if (error.name === "ProgramError") return error.message;
    throw error;
  }
}

function listError(action) {
  try {
    action();
    return null;
  } catch (error) {
    if (error.name === "RangeError") return error.message;
    throw error;
  }
}

function snakeInfo({ name, ...info }) {
  const renamed = Object.entries(info).map(([key, value]) => [key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), value]);
  return Object.fromEntries(renamed);
}

export function bytes(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** JSON with sorted keys. */
function stable(value) {
  return JSON.stringify(value, (_, part) => {
    if (typeof part === "bigint") return Number(part); // JSON.parse has rounded that of the vectors
    if (part === null || typeof part !== "object" || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}
