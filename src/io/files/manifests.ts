import { createReadStream } from 'node:fs';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { EnvironmentError, UserError } from '../../core/kube/errors.ts';
import type { Manifest } from '../../core/report/preflight.ts';
import { BrokenInput } from './broken-input.ts';
import { decodeText } from './decode.ts';
import { checkYamlDepth } from './depth.ts';
import { unreadable } from './find-files.ts';
import { readStream } from './read-stream.ts';
import { parseManifests } from './manifest-documents.ts';

export interface ManifestOptions {
  /** Also read subdirectories. */
  readonly recursive: boolean;
  readonly stdin: NodeJS.ReadableStream;
}

const mayHold = /\.(?:json|ya?ml)$/i;

/** Reads manifests from files, directories or standard input, like `kubectl apply -f`. */
export async function readManifests(paths: readonly string[], options: ManifestOptions): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  for (const path of paths) {
    if (path === '-') manifests.push(...(await parse(await readAll(options.stdin), 'standard input')));
    else
      for (const file of await filesOf(path, options.recursive))
        manifests.push(...(await parse(await readBytes(file), file)));
  }
  if (manifests.length === 0)
    throw new UserError(
      `${paths.join(', ').replace(/^-$/, 'standard input')} contains no Kubernetes object`,
      'Pass manifests, as for kubectl apply -f',
    );
  return manifests;
}

/** The manifests of a text that a program passed. */
export async function readManifestText(text: string, name: string): Promise<Manifest[]> {
  const manifests = await parse(Buffer.from(text), name);
  if (manifests.length === 0)
    throw new UserError(`${name} contains no Kubernetes object`, 'Pass manifests, as for kubectl apply -f');
  return manifests;
}

async function filesOf(path: string, recursive: boolean): Promise<string[]> {
  if (/^https?:\/\//.test(path))
    throw new UserError(
      `cannot read ${path}: manifests are read from files only`,
      'Download it and pipe it in: curl … | kubectl csi preflight -f -',
    );
  let isDirectory: boolean;
  try {
    isDirectory = (await stat(path)).isDirectory();
  } catch (error) {
    throw unreadable(path, error);
  }
  if (!isDirectory) return [path];
  const files = await list(path, recursive);
  if (files.length === 0)
    throw new UserError(
      `the directory ${path} contains no .yaml or .json file`,
      recursive ? 'Pass a directory with manifests' : 'Use -R to include its subdirectories',
    );
  return files;
}

async function list(directory: string, recursive: boolean): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    throw unreadable(directory, error);
  });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      if (recursive) found.push(...(await list(path, recursive)));
    } else if (mayHold.test(entry.name)) {
      if (!(await isRegular(path)))
        throw new UserError(`the path ${path} is not a regular file`, 'Remove it, or pass the manifests one by one');
      found.push(path);
    }
  }
  return found;
}

/** A link to nothing is reported when it is read. */
async function isRegular(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() !== false;
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    // A pipe or a device may never end.
    if (!(await stat(path)).isFile()) return await readStream(createReadStream(path));
    return await readFile(path);
  } catch (error) {
    if (error instanceof BrokenInput) throw refusal(path, error);
    throw unreadable(path, error);
  }
}

async function readAll(stdin: NodeJS.ReadableStream): Promise<Buffer> {
  if ((stdin as { readonly isTTY?: boolean }).isTTY === true)
    throw new UserError(
      'standard input is a terminal, not a manifest',
      'Pipe manifests in: helm template … | kubectl csi preflight -f -',
    );
  return readStream(stdin as AsyncIterable<Buffer | string>).catch((error: unknown) => {
    throw error instanceof BrokenInput ? refusal('standard input', error) : error;
  });
}

async function parse(bytes: Buffer, file: string): Promise<Manifest[]> {
  try {
    const text = await decodeText(bytes);
    if (text.subarray(0, 4000).includes(0)) throw new BrokenInput('notKubernetes', 'is a binary file');
    const decoded = text.toString('utf8');
    checkYamlDepth(decoded);
    return await parseManifests(decoded, file);
  } catch (error) {
    if (!(error instanceof BrokenInput)) throw error;
    throw refusal(file, error);
  }
}

function refusal(file: string, error: BrokenInput): UserError | EnvironmentError {
  const cause = { cause: error };
  if (error.problem === 'tooLarge')
    return new EnvironmentError(`cannot read ${file}: it ${error.message}`, 'Nothing was judged', cause);
  if (error.problem === 'notKubernetes')
    return new UserError(`${file} ${error.message}`, 'Pass manifests, as for kubectl apply -f', cause);
  return new UserError(
    `${file}:${error.line ?? 1}: ${error.message}`,
    'Correct the manifest. Nothing was judged',
    cause,
  );
}
