import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { UserError } from '../../core/kube/errors.ts';
import { isKnownKind } from '../../core/kube/kinds.ts';
import { BrokenInput, lineAt } from './broken-input.ts';
import { newestMoment, requireMoment } from './clock.ts';
import { decodeText } from './decode.ts';
import { findFiles, unreadable } from './find-files.ts';
import { Gathering } from './gathering.ts';
import { readJsonFile } from './json-file.ts';
import { placeOf } from './layout.ts';
import { readDocuments } from './recognise.ts';
import type { Snapshot } from '../../core/kube/snapshot.ts';
import type { FoundFile } from './find-files.ts';
import type { Place } from './layout.ts';

export interface FileOptions {
  /** The dump is complete: a kind that is not in it has no objects. */
  readonly complete?: boolean;
  /** When the dump was taken, RFC 3339. */
  readonly at?: string;
  readonly stdin?: NodeJS.ReadableStream;
  /** Called with each file before it is read, for a progress line. */
  readonly onFile?: (path: string) => void;
}

const howTo = 'write it with kubectl get … -o yaml (or -o json), or kubectl cluster-info dump';

/** Reads captures, kubectl output and dump directories into one snapshot. */
export async function readFiles(paths: readonly string[], options: FileOptions = {}): Promise<Snapshot> {
  const at = options.at === undefined ? undefined : requireMoment(options.at);
  const gathering = new Gathering();
  for (const path of paths) {
    if (path === '-') await readStandardInput(gathering, options);
    else for (const file of await findFiles(path)) await readFoundFile(file, gathering, options);
  }
  const { objects } = gathering;
  if (objects.length === 0 && gathering.captures === 0) throw nothingFound(paths, gathering);
  const namespaces = objects.filter((object) => object.kind === 'Namespace').map((object) => object.metadata.name);
  const { serverVersion } = gathering;
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt: at ?? gathering.takenAt ?? new Date(newestMoment(objects) ?? Date.now()).toISOString(),
    source: { type: gathering.captures > 0 && paths.length === 1 ? 'capture' : 'files', name: sourceName(paths) },
    ...(serverVersion === undefined ? {} : { serverVersion }),
    objects,
    observations: gathering.coverage.observations(namespaces, options.complete === true),
  };
}

async function readStandardInput(gathering: Gathering, options: FileOptions): Promise<void> {
  const stdin = options.stdin ?? process.stdin;
  if ((stdin as { readonly isTTY?: boolean }).isTTY === true)
    throw new UserError(
      'standard input is a terminal, not a dump',
      'pipe a dump in: kubectl get … -o yaml | kubectl csi … --from -',
    );
  options.onFile?.('standard input');
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  await readBytes(Buffer.concat(chunks), { path: 'standard input', segments: [], named: true }, gathering);
}

async function readFoundFile(file: FoundFile, gathering: Gathering, options: FileOptions): Promise<void> {
  options.onFile?.(file.path);
  if (await readAsJson(file, gathering)) return;
  let bytes: Buffer;
  try {
    bytes = await readFile(file.path);
  } catch (error) {
    // Node reads no file of more than 2 GiB in one piece.
    if ((error as NodeJS.ErrnoException).code === 'ERR_FS_FILE_TOO_LARGE')
      throw new UserError(
        `${file.path} is larger than 2 GB`,
        'split the dump by kind or namespace and pass each part with --from',
        { cause: error },
      );
    throw unreadable(file.path, error);
  }
  await readBytes(bytes, file, gathering);
}

/** Whether the file was one sound JSON document; if not, the careful reading below finds out what is wrong. */
async function readAsJson(file: FoundFile, gathering: Gathering): Promise<boolean> {
  const document = await readJsonFile(file.path, isKnownKind);
  if (!document) return false;
  const before = gathering.seen;
  try {
    gathering.addDocument(document, placeOfFile(file));
  } catch (error) {
    if (error instanceof BrokenInput) return false;
    throw error;
  }
  return gathering.seen > before || !file.named;
}

async function readBytes(bytes: Buffer, file: FoundFile, gathering: Gathering): Promise<void> {
  const place = placeOfFile(file);
  const before = gathering.seen;
  let text: Buffer | undefined;
  try {
    text = await decodeText(bytes);
    if (isTar(text)) throw new BrokenInput('notKubernetes', 'is a tar archive');
    for (const document of await readDocuments(text, isKnownKind)) gathering.addDocument(document, place);
    if (file.named && gathering.seen === before) throw new BrokenInput('notKubernetes', 'holds no Kubernetes object');
  } catch (error) {
    if (!(error instanceof BrokenInput)) throw error;
    if (file.named) throw explain(file.path, error, text && lineAt(text, text.length));
    // A damaged file must neither hide the rest of a dump nor look like an empty one.
    if (place.kind !== undefined && error.message !== 'is empty')
      gathering.coverage.addFailed(place.kind, place.namespace, `${basename(file.path)}: ${describe(error)}`);
  }
}

function placeOfFile({ named, segments }: FoundFile): Place {
  return placeOf(named ? segments.slice(-2) : segments);
}

function describe(error: BrokenInput, lines?: number): string {
  const line = error.line ?? (error.problem === 'truncated' ? lines : undefined);
  const where = line === undefined ? '' : ` (line ${line})`;
  return error.problem === 'truncated' ? `ends in the middle${where}` : `${error.message}${where}`;
}

function explain(path: string, error: BrokenInput, lines: number | undefined): UserError {
  const options = { cause: error };
  if (error.problem === 'truncated')
    return new UserError(
      `${path} ${describe(error, lines)}: was the copy interrupted?`,
      'copy or write it again',
      options,
    );
  if (error.problem === 'invalid') return new UserError(`${path} is broken: ${describe(error)}`, howTo, options);
  if (error.message === 'is a tar archive')
    return new UserError(`${path} is a tar archive`, 'unpack it (tar xf) and pass the directory', options);
  return new UserError(`${path} ${error.message}`, howTo, options);
}

function isTar(bytes: Buffer): boolean {
  return bytes.toString('latin1', 257, 262) === 'ustar';
}

function nothingFound(paths: readonly string[], gathering: Gathering): UserError {
  const where = paths.length === 1 ? sourceName(paths) : `the ${paths.length} files`;
  if (gathering.met > 0)
    return new UserError(
      `${where} holds ${gathering.met} Kubernetes object${gathering.met === 1 ? '' : 's'}, but none that has to do with storage`,
      'add claims, volumes, classes, pods, nodes and events: kubectl get pvc,pv,sc,csinode,csidriver,volumeattachment,pod,node,event -A -o yaml',
    );
  return new UserError(`${where} holds no Kubernetes object`, howTo);
}

function sourceName(paths: readonly string[]): string {
  const [first] = paths;
  if (paths.length !== 1 || first === undefined) return `${paths.length} files`;
  return first === '-' ? 'standard input' : basename(first) || first;
}
