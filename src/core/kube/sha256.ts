/**
 * SHA-256 (FIPS 180-4) as hexadecimal text. Core imports nothing from Node, and the digest that browsers offer is
 * asynchronous, while an attachment's name is computed in the middle of a rule.
 */
export function sha256(text: string): string {
  const bytes = padded(new TextEncoder().encode(text));
  const view = new DataView(bytes.buffer);
  const { initialState, roundConstants } = (constants ??= computeConstants());
  const state = initialState.slice();
  const words = new Uint32Array(64);
  for (let block = 0; block < bytes.length; block += 64) {
    for (let i = 0; i < 16; i += 1) words[i] = view.getUint32(block + i * 4);
    for (let i = 16; i < 64; i += 1) words[i] = expandWord(words, i);
    compress(state, words, roundConstants);
  }
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('');
}

interface Constants {
  readonly initialState: Uint32Array;
  readonly roundConstants: Uint32Array;
}

/** Most runs compute no name of an attachment. */
let constants: Constants | undefined;

function computeConstants(): Constants {
  const primes = firstPrimes(64);
  return {
    initialState: Uint32Array.from(primes.slice(0, 8), (prime) => fractionBits(Math.sqrt(prime))),
    roundConstants: Uint32Array.from(primes, (prime) => fractionBits(Math.cbrt(prime))),
  };
}

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate += 1)
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  return found;
}

/** The first 32 bits of the fraction. */
function fractionBits(value: number): number {
  return ((value - Math.floor(value)) * 2 ** 32) | 0;
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** The message, a one bit, zeros, and its length in bits: a multiple of 64 bytes. */
function padded(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64);
  bytes.set(message);
  bytes[message.length] = 0x80;
  new DataView(bytes.buffer).setUint32(bytes.length - 4, message.length * 8);
  return bytes;
}

function expandWord(words: Uint32Array, i: number): number {
  const before2 = words[i - 2] ?? 0;
  const before7 = words[i - 7] ?? 0;
  const before15 = words[i - 15] ?? 0;
  const before16 = words[i - 16] ?? 0;
  const small0 = rotate(before15, 7) ^ rotate(before15, 18) ^ (before15 >>> 3);
  const small1 = rotate(before2, 17) ^ rotate(before2, 19) ^ (before2 >>> 10);
  return before16 + small0 + before7 + small1;
}

function compress(state: Uint32Array, words: Uint32Array, roundConstants: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i += 1) {
    const big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + big1 + ((e & f) ^ (~e & g)) + (roundConstants[i] ?? 0) + (words[i] ?? 0)) | 0;
    const big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const second = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] ?? 0) + value;
}
