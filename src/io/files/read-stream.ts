import { UserError } from '../../core/kube/errors.ts';
import { archiveForm } from './archive.ts';
import { BrokenInput } from './broken-input.ts';
import { isGzip } from './decode.ts';
import { mostFromStream } from './limits.ts';

/** How many bytes are examined to distinguish text from anything else. */
const openingSize = 4000;

/**
 * All bytes of a stream, which may never end: a device is recognised by its first bytes, and anything else is bounded.
 */
export async function readStream(stream: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  let isChecked = false;
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    chunks.push(bytes);
    size += bytes.length;
    if (!isChecked && size >= openingSize) {
      isChecked = true;
      checkOpening(Buffer.concat(chunks).subarray(0, openingSize));
    }
    if (size > mostFromStream)
      throw new BrokenInput('tooLarge', `is longer than ${mostFromStream / 1e9} GB: write it to a file first`);
  }
  return Buffer.concat(chunks);
}

function checkOpening(opening: Buffer): void {
  const isWide = (opening[0] === 0xff && opening[1] === 0xfe) || (opening[0] === 0xfe && opening[1] === 0xff);
  if (isWide || isGzip(opening) || archiveForm(opening) !== undefined || !opening.includes(0)) return;
  throw new BrokenInput('notKubernetes', 'is a binary file');
}

/** Refuses a terminal, because nobody types a dump. */
export function refuseTerminal(stdin: NodeJS.ReadableStream): void {
  if ((stdin as { readonly isTTY?: boolean }).isTTY === true)
    throw new UserError(
      'standard input is a terminal, not a dump',
      'Pipe a dump in: kubectl get … -o yaml | kubectl csi … --from -',
    );
}
