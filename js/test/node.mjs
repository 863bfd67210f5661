// node node.mjs RUNTIME VECTORS: the comparison in Node; prints its result as JSON.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { compare } from "./compare.mjs";

const [runtime, vectors] = process.argv.slice(2);
const found = compare(await import(pathToFileURL(resolve(runtime))), JSON.parse(readFileSync(vectors, "utf-8")));
process.stdout.write(JSON.stringify(found));
