// node chromium.mjs RUNTIME VECTORS: the comparison in a page and in a worker of Chromium; prints both as JSON.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { withBrowser, withServer } from "./browser.mjs";

const [runtime, vectors] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));

function fileOf(path) {
  if (path === "/vectors.json") return vectors;
  if (path.startsWith("/dist/")) return join(dirname(runtime), path.slice("/dist/".length));
  return join(here, path === "/" ? "empty.html" : path);
}

const results = await withServer(fileOf, (address) =>
  withBrowser(async (browser) => {
    const page = await browser.newPage();
    await page.goto(address);
    return { page: await page.evaluate(inPage), worker: await page.evaluate(inWorker) };
  }),
);
process.stdout.write(JSON.stringify(results));

async function inPage() {
  const { compareAll } = await import("/worker.mjs");
  return compareAll();
}

function inWorker() {
  const worker = new Worker("/worker.mjs", { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
  });
}
