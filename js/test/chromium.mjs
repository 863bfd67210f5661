// node chromium.mjs RUNTIME VECTORS: the comparison in a page and in a worker of Chromium; prints both as JSON.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ORIGIN, serve, withBrowser } from "./browser.mjs";

const [runtime, vectors] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));

const results = await withBrowser(async (browser) => {
  const context = await browser.newContext();
  await serve(context, (path) => {
    if (path === "/vectors.json") return vectors;
    if (path.startsWith("/dist/")) return join(dirname(runtime), path.slice("/dist/".length));
    return path === "/" ? join(here, "empty.html") : join(here, path);
  });
  const page = await context.newPage();
  await page.goto(ORIGIN);
  return { page: await page.evaluate(inPage), worker: await page.evaluate(inWorker) };
});
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
