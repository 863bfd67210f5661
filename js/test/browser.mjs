// A real Chromium, and pages that it gets from files of this machine.
import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { chromium } from "playwright-core";

const TYPES = { js: "text/javascript", mjs: "text/javascript", json: "application/json", html: "text/html" };
const HOST = "lane.test"; // not localhost, a secure context: the runtime must do without what only those have

/** Call `action` with a browser, which is closed afterwards; CHROMIUM names the program. */
export async function withBrowser(action) {
  const args = ["--no-sandbox", `--host-resolver-rules=MAP ${HOST} 127.0.0.1`];
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args });
  try {
    return await action(browser);
  } finally {
    await browser.close();
  }
}

/** Call `action` with the address of a server that answers with `fileOf` the path. */
export async function withServer(fileOf, action) {
  const server = createServer((request, response) => {
    const file = fileOf(request.url);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.setHeader("content-type", TYPES[file.split(".").at(-1)]);
    return createReadStream(file).pipe(response);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  try {
    return await action(`http://${HOST}:${server.address().port}`);
  } finally {
    server.close();
  }
}
