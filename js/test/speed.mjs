// node speed.mjs RUNTIME LANE COMMANDS: commands a second, one by one, fresh and again, as JSON.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [runtime, lane, file] = process.argv.slice(2);
const { load } = await import(pathToFileURL(resolve(runtime)));
const translator = load(readFileSync(lane));
const commands = JSON.parse(readFileSync(file, "utf-8"));
const speeds = {};
for (const kind of ["fresh", "again"]) {
  const begin = performance.now();
  for (const command of commands) translator.translate(command);
  speeds[kind] = (1000 * commands.length) / (performance.now() - begin);
}
process.stdout.write(JSON.stringify(speeds));
