// A real Chromium, and pages that it gets from files instead of a network.
import { readFile } from "node:fs/promises";
import { chromium } from "playwright-core";

const TYPES = { js: "text/javascript", mjs: "text/javascript", json: "application/json", html: "text/html" };
export const ORIGIN = "http://lane.test"; // no secure context: the runtime must do without what only those have

/** Call `action` with a browser, which is closed afterwards; CHROMIUM names the program. */
export async function withBrowser(action) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
  try {
    return await action(browser);
  } finally {
    await browser.close();
  }
}

/** Answer requests to ORIGIN by `fileOf` their path; null is not found. */
export async function serve(context, fileOf) {
  await context.route(`${ORIGIN}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    const file = fileOf(pathname);
    if (!file) return route.fulfill({ status: 404 });
    return route.fulfill({ body: await readFile(file), contentType: TYPES[file.split(".").at(-1)] });
  });
}
