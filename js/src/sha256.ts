/** SHA-256 (FIPS 180-4): the built-in one of browsers is asynchronous, and missing without a secure context. */

const BLOCK = 64; // bytes
const ROUNDS = 64;

const PRIMES = firstPrimes(ROUNDS);
const ROUND_CONSTANTS = Uint32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));
const START = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

/** The digest in hexadecimal digits. */
export function sha256(data: Uint8Array): string {
  const state = START.slice();
  const schedule = new Uint32Array(ROUNDS);
  const whole = data.length - (data.length % BLOCK);
  for (let place = 0; place < whole; place += BLOCK) mix(state, schedule, data, place);
  const rest = data.subarray(whole);
  const tail = new Uint8Array(rest.length + 9 > BLOCK ? 2 * BLOCK : BLOCK);
  tail.set(rest);
  tail[rest.length] = 0x80;
  const view = new DataView(tail.buffer);
  view.setUint32(tail.length - 8, Math.floor(data.length / 2 ** 29)); // the length in bits, 64 of them
  view.setUint32(tail.length - 4, data.length << 3);
  for (let place = 0; place < tail.length; place += BLOCK) mix(state, schedule, tail, place);
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

function mix(state: Uint32Array, w: Uint32Array, data: Uint8Array, place: number): void {
  const view = new DataView(data.buffer, data.byteOffset + place, BLOCK);
  for (let i = 0; i < 16; i++) w[i] = view.getUint32(4 * i);
  for (let i = 16; i < ROUNDS; i++) {
    const [early, late] = [w[i - 15]!, w[i - 2]!];
    const small = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const large = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    w[i] = w[i - 16]! + small + w[i - 7]! + large;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < ROUNDS; i++) {
    const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[i]! + w[i]!;
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = state[i]! + value;
}

function turn(value: number, by: number): number {
  return (value >>> by) | (value << (32 - by));
}

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime)) found.push(candidate);
  }
  return found;
}

/** The first 32 bits behind the point; a double has enough of them for these roots. */
function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}
