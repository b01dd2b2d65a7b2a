/**
 * V8 collects garbage when the heap has grown by so much since the last collection. Left to itself, it lets a heap grow
 * to a multiple of what is in use, as far as the memory of the machine goes.
 */
export const heapGrowthPercent = 30;

const mebibyte = 1024 * 1024;
/** The serving thread, young objects of both threads, code, and answers on their way. */
const besidesMebibytes = 192;
/** With less, not even a small cluster can be read. */
const leastMebibytes = 128;

/**
 * The most that the thread that reads may keep, in MiB, where a container limits the memory; the kernel would kill it
 * without a word.
 */
export function heapLimit(constrainedBytes: number | undefined, machineBytes: number): number | undefined {
  if (constrainedBytes === undefined || constrainedBytes <= 0 || constrainedBytes >= machineBytes) return undefined;
  return Math.max(leastMebibytes, Math.floor(constrainedBytes / mebibyte) - besidesMebibytes);
}
