import { join } from 'node:path';

/** Where what one test process compiled is kept for the others. */
export const compiledCode = join(import.meta.dirname, '../../node_modules/.cache/compiled');

/** A thread that is started meanwhile uses it too: Node.js hands it on to threads only through the environment, and to programs as well, which have their own. */
export async function sharingCompiledCode<T>(start: () => Promise<T>): Promise<T> {
  const before = process.env['NODE_COMPILE_CACHE'];
  process.env['NODE_COMPILE_CACHE'] = compiledCode;
  try {
    return await start();
  } finally {
    if (before === undefined) delete process.env['NODE_COMPILE_CACHE'];
    else process.env['NODE_COMPILE_CACHE'] = before;
  }
}
