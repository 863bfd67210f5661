// node first.mjs PAGE: milliseconds from the start of the load to the first answer in Chromium, several times, as JSON.
import { pathToFileURL } from "node:url";
import { withBrowser } from "./browser.mjs";

const TIMES = 9;
const url = pathToFileURL(process.argv[2]).href;

const times = await withBrowser(async (browser) => {
  const found = [];
  for (let count = 0; count < TIMES; count++) {
    const context = await browser.newContext(); // without what the one before has cached
    const page = await context.newPage();
    await page.addInitScript(() => {
      const observer = new MutationObserver(() => {
        if (globalThis.firstAnswer || !document.getElementById("answer")?.textContent) return;
        globalThis.firstAnswer = performance.now();
        observer.disconnect();
      });
      observer.observe(document, { childList: true, subtree: true });
    });
    await page.goto(url);
    found.push(await page.evaluate(() => globalThis.firstAnswer));
    await context.close();
  }
  return found;
});
process.stdout.write(JSON.stringify(times));
