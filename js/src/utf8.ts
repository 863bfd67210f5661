/** UTF-8 to text; what is invalid is described as by Python. */

declare class TextDecoder {
  constructor(label: string, options: { fatal: boolean; ignoreBOM: boolean });
  decode(data: Uint8Array): string;
}

/** The text of UTF-8 bytes, with U+FFFD for what is invalid. */
export function decodeAnyway(data: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(data);
}

/** Bytes that are not UTF-8. */
export class Utf8Error extends Error {}

/** The text of UTF-8 bytes; Utf8Error if they are invalid. */
export function decodeUtf8(data: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch (error) {
    throw problemOf(data) ?? error;
  }
}

function problemOf(data: Uint8Array): Utf8Error | null {
  for (let start = 0; start < data.length; ) {
    const first = data[start] ?? 0;
    if (first < 0x80) {
      start++;
      continue;
    }
    if (first < 0xc2 || first > 0xf4) return problem(data, start, start + 1, "invalid start byte");
    const size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    for (let next = 1; next < size; next++) {
      if (start + next >= data.length) return problem(data, start, data.length, "unexpected end of data");
      if (!continues(data, start, next)) return problem(data, start, start + next, "invalid continuation byte");
    }
    start += size;
  }
  return null;
}

/** Whether the byte may stand there: the second one also excludes overlong forms and surrogates. */
function continues(data: Uint8Array, start: number, next: number): boolean {
  const first = data[start] ?? 0;
  const byte = data[start + next] ?? 0;
  if ((byte & 0xc0) !== 0x80) return false;
  if (next > 1) return true;
  if (first === 0xe0) return byte >= 0xa0;
  if (first === 0xed) return byte < 0xa0;
  if (first === 0xf0) return byte >= 0x90;
  return first !== 0xf4 || byte < 0x90;
}

function problem(data: Uint8Array, start: number, end: number, reason: string): Utf8Error {
  const byte = (data[start] ?? 0).toString(16).padStart(2, "0");
  const where = end === start + 1 ? `byte 0x${byte} in position ${start}` : `bytes in position ${start}-${end - 1}`;
  return new Utf8Error(`'utf-8' codec can't decode ${where}: ${reason}`);
}
