import { BrokenInput } from './broken-input.ts';

/** The most that is read from a stream, or unpacked into memory from one file. */
export const mostBytes = 2_000_000_000;
export const mostFromStream = 1_000_000_000;
/** The most that all entries of an archive may unpack to; they are read one after another. */
export const mostInArchive = 20_000_000_000;
export const mostEntries = 500_000;
/** Objects of Kubernetes are nested about 20 deep. */
export const deepest = 200;
/** Below this size nothing can exhaust the memory, however deep it is nested. */
export const harmlessSize = 1_000_000;

/** Text packs 10 to 60 times; what packs 250 times and unpacks to more than this is built to exhaust memory. */
const freeBytes = 100_000_000;
const mostTimes = 250;

/** How far packed bytes may unpack. */
export function unpackLimit(packed: number, most = mostBytes): number {
  return Math.min(most, Math.max(freeBytes, packed * mostTimes));
}

export function tooLarge(limit: number): BrokenInput {
  const size = limit >= 1e9 ? `${Math.round(limit / 1e9)} GB` : `${Math.round(limit / 1e6)} MB`;
  return new BrokenInput('tooLarge', `unpacks to more than ${size}, far more than its size explains`);
}

export function tooDeep(line?: number): BrokenInput {
  return new BrokenInput('tooLarge', `is nested more than ${deepest} levels deep`, line);
}
