// node page.mjs PAGE LANE COMMAND OUTPUT SLOTS GIVEN FOLDER: clicks through the page in Chromium, and takes screenshots.
// LANE is another model; its COMMAND has the OUTPUT. SLOTS is that of tests/runtime/slot_program.py, GIVEN a page with it.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { withBrowser } from "./browser.mjs";

const [file, lane, otherCommand, otherOutput, slots, given, folder] = process.argv.slice(2);
const url = pathToFileURL(file).href;
const LINKED = "walk opposite right & more?";

async function open(browser, options = {}, address = url) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 1000 }, ...options });
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("request", (request) => request.url().startsWith(url) || problems.push(`request: ${request.url()}`));
  await page.goto(address);
  return { page, problems };
}

async function answers(page) {
  assert.match(await page.textContent("#card"), /^scan\.lane: 13 words, /);
  const begins = "jump around left twice and walk";
  assert.equal(await page.inputValue("#command"), begins);
  await page.fill("#command", "jump twice");
  assert.equal(await page.textContent("#answer"), "I_JUMP I_JUMP");
  assert.deepEqual(await page.locator("#rules .lit").allTextContents(), ["$x twice -> $X $X", "jump -> I_JUMP"]);
  assert.equal(await page.locator("#picture rect").count(), 2);
  assert.match(await page.textContent("#steps"), /2\. \$x twice -> \$X \$X {2}\(\$x = \$0\) {2}\$0 = I_JUMP I_JUMP/);
  assert.match(page.url(), /#command=jump\+twice$/);
}

async function refuses(page) {
  await page.fill("#command", "jump and wolk");
  assert.match(await page.textContent("#answer"), /^unknown-word unknown word 'wolk' \(word 3\); did you mean 'walk'\?/);
  assert.ok(await page.locator("#answer.refused").count());
  assert.equal(await page.locator("#picture svg").count(), 0);
  await page.click("#answer button");
  assert.equal(await page.inputValue("#command"), "jump and walk");
  assert.equal(await page.textContent("#answer"), "I_JUMP I_WALK");
  await page.fill("#command", "walking wolk"); // of equal letters those of the wrong word
  assert.match(await page.textContent("#answer"), /unknown word 'walking' \(word 1\)/);
  await page.fill("#command", "walk and  wal");
  await page.click("#answer button");
  assert.equal(await page.inputValue("#command"), "walk and  walk");
  await page.fill("#command", "<img src=x onerror=alert(1)>");
  assert.equal(await page.locator("#answer img").count(), 0);
}

async function tests(page) {
  await page.fill("#pairs", "jump twice\tI_JUMP  I_JUMP\nIN: look OUT: I_LOOK\nwalk\tI_RUN\n\n");
  assert.equal(await page.textContent("#score"), "2 of 3 passed");
  assert.deepEqual(await page.locator("#results .fail").allTextContents(), ["walk gives I_WALK; expected I_RUN"]);
  const json = ['{"in": "jump", "out": ["I_JUMP"]}', '{"in": "look"}', "jump -> I_JUMP", "a\tb\tc", "IN: run OUT: I_RUN"];
  await page.fill("#pairs", ["walk\tI_RUN", ...json].join("\n"));
  assert.equal(await page.textContent("#score"), "2 of 3 passed; no pair in line 3, 4, 5");
  await page.click("#results .fail button");
  assert.equal(await page.textContent("#answer"), "I_WALK");
  const used = await page.locator("#rules li").count();
  await page.check("#all");
  assert.ok((await page.locator("#rules li").count()) > used);
  await page.uncheck("#all");
}

async function keys(page) {
  await page.locator("#rules").focus();
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "command");
  await page.keyboard.type("run left");
  assert.equal(await page.textContent("#answer"), "I_TURN_LEFT I_RUN");
  await page.keyboard.press("Escape");
  assert.equal(await page.inputValue("#command"), "");
  assert.equal(await page.textContent("#answer"), "");
  const reached = new Set();
  for (let count = 0; count < 12; count++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.id));
  }
  for (const id of ["file", "link", "command", "picture", "all", "rules", "pairs"]) assert.ok(reached.has(id), id);
}

async function opens(page) {
  const bad = join(folder, "bad.lane");
  writeFileSync(bad, '{"lane-program": 99, "sha256": "",\n');
  await page.setInputFiles("#file", bad);
  await page.waitForSelector("#answer.refused");
  assert.match(await page.textContent("#answer"), /bad\.lane: line 1: format version 99/);
  await page.setInputFiles("#file", lane);
  await page.waitForFunction(() => !document.getElementById("card").textContent.startsWith("scan.lane"));
  await page.fill("#command", otherCommand);
  assert.equal(await page.textContent("#answer"), otherOutput);
  await drops(page);
}

/** Lists are given by hand, and what fills a slot is marked. */
async function fills(page) {
  assert.ok(await page.locator("#lists-section").isHidden());
  await page.setInputFiles("#file", slots);
  await page.waitForSelector("#lists textarea");
  assert.deepEqual(await page.locator("#lists label").allTextContents(), ["{artist}", "{room}"]);
  await page.fill("#command", "play <b>moon</b>");
  assert.match(await page.textContent("#answer"), /^not-learned .*; no list is given for \{artist\}, \{room\}$/);
  await page.fill("#list-artist", "Nina\n");
  await page.fill("#list-room", "attic\n<b>moon</b>\nhall\n");
  assert.match(await page.textContent("#lists .note >> nth=1"), /^never heard, .*: hall$/);
  assert.equal(await page.textContent("#answer"), "PLAY <b>moon</b>");
  assert.equal(await page.locator("#answer b").count(), 0);
  assert.equal(await page.locator("#answer mark").getAttribute("title"), "{room} from word 2");
  assert.match(await page.textContent("#steps"), /= \{room:%3Cb%3Emoon%3C%2Fb%3E\}/);
  await page.fill("#command", "please go 5 meters and say PLAY {room:x}");
  assert.deepEqual(await page.locator("#answer mark").allTextContents(), ["5", "PLAY {room:x}", "PLAY {room:x}"]);
  // In pairs a slot stands for any text, unless the output says what was typed.
  const pairs = ["go {number} meters and play {room}\tGO {number} PLAY {room}", "say {text}\tSAY {text} {text}"];
  pairs.push("say {text}\tSAY {text:%7Btext%7D} {text:%7Btext%7D}", "say {number}\tSAY {number} {number}");
  await page.fill("#pairs", pairs.join("\n"));
  assert.equal(await page.textContent("#score"), "3 of 4 passed");
  await page.fill("#pairs", "");
}

/** A file dragged from elsewhere. */
async function drops(page) {
  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(["nonsense"], "dropped.lane"));
    return data;
  });
  await page.dispatchEvent("body", "dragover", { dataTransfer: transfer });
  assert.ok(await page.locator("body.dropping").count());
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
  await page.waitForFunction(() => document.getElementById("answer").textContent.includes("dropped.lane: line 1"));
}

async function fits(page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(wide, 0, "the page is wider than the phone");
}

await withBrowser(async (browser) => {
  const { page, problems } = await open(browser);
  for (const step of [answers, refuses, tests, keys, opens, fills]) await step(page);
  assert.deepEqual(problems, []);

  const linked = await open(browser, {}, `${url}#${new URLSearchParams({ command: LINKED })}`);
  assert.equal(await linked.page.inputValue("#command"), LINKED);

  const lists = await open(browser, {}, pathToFileURL(given).href);
  assert.equal(await lists.page.inputValue("#list-room"), "Ann's \"room\"\n<b>\nblau grün");
  assert.deepEqual(await lists.page.locator("#answer mark").allTextContents(), ["blau grün"]);

  const filled = await open(browser, { viewport: { width: 360, height: 1400 }, isMobile: true });
  await fills(filled.page);
  await fits(filled.page);
  await filled.page.screenshot({ path: join(folder, "slots.png") });

  const looks = { desktop: {}, dark: { colorScheme: "dark" }, phone: { viewport: { width: 360, height: 780 }, isMobile: true } };
  for (const [name, options] of Object.entries(looks)) {
    const look = await open(browser, options);
    await look.page.fill("#pairs", "jump twice\tI_JUMP I_JUMP\nwalk\tI_RUN");
    await fits(look.page);
    await look.page.screenshot({ path: join(folder, `${name}.png`), fullPage: name === "phone" });
    await look.page.fill("#command", "jump twice and wolk");
    await look.page.screenshot({ path: join(folder, `${name}-refused.png`) });
  }
});
