// Writes the page without a model into one file, for `lane-run page` to put a model in; compressed, as wheels stay small.
import { readFile, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const [out = new URL("../../runtime/bundled/page.html.gz", import.meta.url)] = process.argv.slice(2);
const here = (name) => new URL(name, import.meta.url);
const options = { bundle: true, minify: true, write: false, target: "es2022", charset: "utf8", legalComments: "none" };

async function built(name) {
  const { outputFiles } = await build({ ...options, entryPoints: [here(name).pathname] });
  return outputFiles[0].text.trim().replaceAll("</", "<\\/");
}

const parts = { "/* style */": await built("page.css"), "/* script */": await built("main.ts") };
let page = await readFile(here("page.html"), "utf-8");
for (const [mark, text] of Object.entries(parts)) page = page.replace(mark, () => text);
await writeFile(out, gzipSync(page, { level: 9 }));
