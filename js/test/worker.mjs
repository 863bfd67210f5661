// The comparison where there is `fetch`; as a worker it starts at once.
import * as runtime from "/dist/index.js";
import { compare } from "./compare.mjs";

export async function compareAll() {
  const vectors = await (await fetch("/vectors.json")).json();
  return compare(runtime, vectors);
}

if (globalThis.WorkerGlobalScope) postMessage(await compareAll());
