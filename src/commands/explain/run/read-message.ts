import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { UserError } from '../../../core/kube/errors.ts';
import { sanitise } from '../../../terminal/sanitise.ts';

/** The text that should be explained. */
export interface Message {
  readonly type: 'argument' | 'file' | 'stdin';
  /** How the text is called in sentences. */
  readonly name: string;
  readonly text: string;
}

/** A log with the error in it is far smaller; whole archives of logs are not read. */
const mostBytes = 16 * 1024 * 1024;
const tooLong = 'Pass the part with the error: tail -n 5000 FILE | kubectl csi explain --message -';

/** The text of the command line, a file or standard input, without control characters. */
export async function readMessage(word: string | undefined, path: string | undefined): Promise<Message> {
  if (word !== undefined && word !== '-' && path !== undefined)
    throw new UserError('a text and --message are given', 'Give one of them');
  if (word !== undefined && word !== '-') return checked({ type: 'argument', name: 'the text', text: word });
  if (path === undefined || path === '-')
    return checked({ type: 'stdin', name: 'standard input', text: await readStandardInput() });
  return checked({ type: 'file', name: `file "${sanitise(path)}"`, text: await readText(path) });
}

function checked({ type, name, text }: Message): Message {
  const plain = sanitise(text, { newlines: true });
  if (plain.trim() === '')
    throw new UserError(`${name} is empty`, 'Pass the text of an error, a log, or the output of kubectl describe');
  return { type, name, text: plain };
}

async function readStandardInput(): Promise<string> {
  if (process.stdin.isTTY)
    throw new UserError(
      'standard input is a terminal, not a text',
      'Pipe the text in: kubectl describe pod NAME | kubectl csi explain --message -',
    );
  return decode(await readAll(process.stdin, 'standard input'), 'standard input');
}

async function readText(path: string): Promise<string> {
  const name = `file "${sanitise(path)}"`;
  try {
    if ((await stat(path)).isDirectory())
      throw new UserError(`${name} is a directory`, 'Pass one file, or - for standard input');
    return decode(await readAll(createReadStream(path), name), name);
  } catch (error) {
    if (error instanceof UserError) throw error;
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    throw new UserError(`${name} ${reason}`, 'Pass a file with the text of an error, or - for standard input', {
      cause: error,
    });
  }
}

async function readAll(stream: AsyncIterable<Buffer | string>, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    size += bytes.length;
    if (size > mostBytes) throw new UserError(`${name} is longer than ${mostBytes / 1024 / 1024} MiB`, tooLong);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** UTF-8, or UTF-16 as PowerShell writes it. */
function decode(bytes: Buffer, name: string): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le');
  if (bytes.includes(0) || (bytes[0] === 0x1f && bytes[1] === 0x8b))
    throw new UserError(`${name} is not text`, 'Pass plain text: the error, a log, or the output of kubectl describe');
  return bytes.toString('utf8');
}
