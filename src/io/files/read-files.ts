import { createReadStream, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { EnvironmentError, UserError } from '../../core/kube/errors.ts';
import { isKnownKind } from '../../core/kube/kinds.ts';
import { BrokenInput, lineAt } from './broken-input.ts';
import { readClock, requireMoment } from './clock.ts';
import { contradictionsIn } from './contradictions.ts';
import { decodeText } from './decode.ts';
import { isList } from './document.ts';
import { findFiles, isArchiveName, mayHoldObjects, unreadable } from './find-files.ts';
import { Gathering } from './gathering.ts';
import { readJsonFile } from './json-file.ts';
import { placeOf } from './layout.ts';
import { Notes } from './notes.ts';
import { openArchive, openArchiveBytes } from './open-archive.ts';
import { readDocuments } from './recognise.ts';
import { readStream, refuseTerminal } from './read-stream.ts';
import type { Snapshot } from '../../core/kube/snapshot.ts';
import type { ArchiveEntry } from './archive.ts';
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
  /** Called with notes for the reader of the answer: files that were not read, objects in several versions. */
  readonly onNote?: (line: string) => void;
}

const howTo = 'Write it with kubectl get … -o yaml (or -o json), or with kubectl cluster-info dump';
const keepsKind = (kind: string): boolean => isKnownKind(kind) || isList(kind);

/** Reads captures, kubectl output, dump directories and archives of them into one snapshot. */
export async function readFiles(paths: readonly string[], options: FileOptions = {}): Promise<Snapshot> {
  const at = options.at === undefined ? undefined : requireMoment(options.at);
  const notes = new Notes();
  const gathering = new Gathering(notes);
  for (const path of paths) {
    gathering.clusters.path = path;
    if (path === '-') await readStandardInput(gathering, options);
    else for (const file of await findFiles(path)) await readFoundFile(file, gathering, options);
  }
  gathering.clusters.refuseDifferent();
  for (const doubt of gathering.clusters.doubts()) options.onNote?.(doubt);
  const { objects } = gathering;
  if (objects.length === 0 && gathering.captures === 0) throw nothingFound(paths, gathering);
  const namespaces = objects.filter((object) => object.kind === 'Namespace').map((object) => object.metadata.name);
  const takenAt = at ?? gathering.takenAt ?? clockOf(gathering);
  for (const line of notes.lines()) options.onNote?.(line);
  const { serverVersion } = gathering;
  gathering.coverage.addContradictions(contradictionsIn(objects));
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt,
    source: { type: gathering.captures > 0 && paths.length === 1 ? 'capture' : 'files', name: sourceName(paths) },
    ...(serverVersion === undefined ? {} : { serverVersion }),
    objects,
    observations: gathering.coverage.observations(namespaces, options.complete === true),
    ...(gathering.logs.length > 0 && { logs: gathering.logs }),
  };
}

/**
 * The latest moment in a dump of a running cluster is when it was taken. A few objects alone may not have changed for
 * days: then the time of the file counts, and for a stream the current one. Every answer states its time.
 */
function clockOf({ objects, changed }: Gathering): string {
  const { newest, hasPulse } = readClock(objects);
  const ofFile = Math.min(changed ?? Date.now(), Date.now());
  return new Date(newest !== undefined && (hasPulse || newest >= ofFile) ? newest : ofFile).toISOString();
}

async function readStandardInput(gathering: Gathering, options: FileOptions): Promise<void> {
  const stdin = options.stdin ?? process.stdin;
  refuseTerminal(stdin);
  options.onFile?.('standard input');
  await readUnseekable(stdin, { path: 'standard input', segments: [], named: true }, gathering);
}

/** A pipe or a device, which can be read only once. */
async function readUnseekable(stream: NodeJS.ReadableStream, file: FoundFile, gathering: Gathering): Promise<void> {
  let bytes: Buffer;
  try {
    bytes = await readStream(stream as AsyncIterable<Buffer | string>);
  } catch (error) {
    if (error instanceof BrokenInput) throw explain(file.path, error, undefined);
    throw unreadable(file.path, error);
  }
  if (await readArchive(() => openArchiveBytes(bytes), file, gathering)) return;
  await readBytes(bytes, file, gathering);
}

async function readFoundFile(file: FoundFile, gathering: Gathering, options: FileOptions): Promise<void> {
  gathering.clusters.path = file.path;
  options.onFile?.(file.path);
  if (file.problem !== undefined) {
    gathering.addLost(placeOfFile(file), file.path, file.problem);
    return;
  }
  if (!file.named && isArchiveName(file.path)) {
    await readArchive(() => openArchive(file.path), file, gathering);
    return;
  }
  if (await readAsJson(file, gathering)) return;
  if (file.named && !statSync(file.path).isFile()) {
    await readUnseekable(createReadStream(file.path), file, gathering);
    return;
  }
  if (file.named && (await readArchive(() => openArchive(file.path), file, gathering))) return;
  let bytes: Buffer;
  try {
    bytes = await readFile(file.path);
  } catch (error) {
    // Node reads no file of more than 2 GiB in one piece.
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_FS_FILE_TOO_LARGE';
    if (!file.named) {
      gathering.addLost(placeOfFile(file), file.path, isLarge ? 'is larger than 2 GB' : 'cannot be read');
      return;
    }
    if (!isLarge) throw unreadable(file.path, error);
    throw new UserError(
      `the file ${file.path} is larger than 2 GB`,
      'Split the dump by kind or namespace, and pass each part with --from',
      { cause: error },
    );
  }
  await readBytes(bytes, file, gathering);
}

/** Whether it was an archive. Its files are read one after another, and never written to disk. */
async function readArchive(
  openEntries: () => Promise<AsyncGenerator<ArchiveEntry> | undefined>,
  file: FoundFile,
  gathering: Gathering,
): Promise<boolean> {
  let held = 0;
  try {
    const entries = await openEntries();
    if (!entries) return false;
    for await (const entry of entries) {
      if (isArchiveName(entry.name))
        gathering.addLost(
          { folders: [] },
          `${file.path}:${entry.segments.join('/')}`,
          'is an archive inside an archive',
        );
      if (!mayHoldObjects(entry.name)) continue;
      held += 1;
      await readEntry(entry, file, gathering);
    }
  } catch (error) {
    if (!(error instanceof BrokenInput)) throw unreadable(file.path, error);
    // What came before is kept; what may have followed is missing.
    if (gathering.seen === 0 && file.named) throw explain(file.path, error, undefined);
    gathering.addLost({ folders: [] }, file.path, describe(error));
    return true;
  }
  if (held === 0 && file.named)
    throw new UserError(
      `the archive ${file.path} contains no .yaml or .json file`,
      'Pass an archive of a dump or of a support bundle',
    );
  return true;
}

async function readEntry(entry: ArchiveEntry, archive: FoundFile, gathering: Gathering): Promise<void> {
  const file: FoundFile = {
    path: `${archive.path}:${entry.segments.join('/')}`,
    segments: entry.segments,
    named: false,
    ...((entry.changed ?? archive.changed) !== undefined && { changed: entry.changed ?? archive.changed }),
  } as FoundFile;
  if (entry.problem !== undefined) {
    gathering.addLost(placeOfFile(file), file.path, entry.problem);
    return;
  }
  gathering.clusters.path = file.path;
  let bytes: Buffer;
  try {
    bytes = await entry.read();
  } catch (error) {
    if (!(error instanceof BrokenInput) || error.problem === 'truncated') throw error;
    gathering.addLost(placeOfFile(file), file.path, describe(error));
    return;
  }
  await readBytes(bytes, file, gathering);
}

/** Whether the file was one sound JSON document; if not, the careful reading below finds out what is wrong. */
async function readAsJson(file: FoundFile, gathering: Gathering): Promise<boolean> {
  const document = await readJsonFile(file.path, keepsKind);
  if (!document) return false;
  const before = gathering.seen;
  try {
    gathering.addDocument(document, placeOfFile(file));
  } catch (error) {
    if (error instanceof BrokenInput) return false;
    throw error;
  }
  gathering.addTime(changedOf(file));
  return gathering.seen > before || !file.named;
}

function changedOf({ path, changed }: FoundFile): number | undefined {
  return changed ?? statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

async function readBytes(bytes: Buffer, file: FoundFile, gathering: Gathering): Promise<void> {
  const place = placeOfFile(file);
  const before = gathering.seen;
  let text: Buffer | undefined;
  try {
    text = await decodeText(bytes);
    for (const document of await readDocuments(text, keepsKind)) gathering.addDocument(document, place);
    if (file.named && gathering.seen === before)
      throw new BrokenInput('notKubernetes', 'contains no Kubernetes object');
    if (gathering.seen > before) gathering.addTime(file.path === 'standard input' ? undefined : changedOf(file));
  } catch (error) {
    if (!(error instanceof BrokenInput)) throw error;
    if (file.named) throw explain(file.path, error, text && lineAt(text, text.length));
    // A damaged file must neither hide the rest of a dump nor look like an empty one.
    if (couldHold(error, place)) gathering.addLost(place, file.path, describe(error));
  }
}

/** Files that are not from Kubernetes may be next to a dump; a file that may be from Kubernetes counts as missing. */
function couldHold({ problem, message }: BrokenInput, { kind }: Place): boolean {
  if (message === 'is empty') return false;
  return kind !== undefined || problem !== 'notKubernetes' || /binary|packed|error message/.test(message);
}

function placeOfFile({ named, segments }: FoundFile): Place {
  return placeOf(named ? segments.slice(-2) : segments);
}

function describe(error: BrokenInput, lines?: number): string {
  const line = error.line ?? (error.problem === 'truncated' ? lines : undefined);
  const where = line === undefined ? '' : ` (line ${line})`;
  return error.problem === 'truncated' ? `ends in the middle${where}` : `${error.message}${where}`;
}

function explain(path: string, error: BrokenInput, lines: number | undefined): UserError | EnvironmentError {
  const options = { cause: error };
  if (error.problem === 'truncated')
    return new UserError(
      `the file ${path} ${describe(error, lines)}: the copy may have been interrupted`,
      'Copy or write it again',
      options,
    );
  if (error.problem === 'tooLarge')
    return new EnvironmentError(
      `cannot read ${path}: it ${describe(error)}`,
      'Check where it comes from: kubectl does not write such a dump',
      options,
    );
  if (error.problem === 'invalid')
    return new UserError(`the file ${path} is damaged: ${describe(error)}`, howTo, options);
  return new UserError(`${path} ${error.message}`, howTo, options);
}

function nothingFound(paths: readonly string[], gathering: Gathering): UserError {
  const where = paths.length === 1 ? sourceName(paths) : `the ${paths.length} files`;
  if (gathering.met > 0)
    return new UserError(
      `${where} contains ${gathering.met} Kubernetes object${gathering.met === 1 ? '' : 's'}, but none related to storage`,
      'Add claims, volumes, classes, pods, nodes and events: kubectl get ' +
        'pvc,pv,sc,csinode,csidriver,volumeattachment,pod,node,event -A -o yaml',
    );
  const [lost] = gathering.lost;
  if (lost !== undefined) return new UserError(`nothing in ${where} could be read: ${lost}`, howTo);
  return new UserError(`${where} contains no Kubernetes object`, howTo);
}

function sourceName(paths: readonly string[]): string {
  const [first] = paths;
  if (paths.length !== 1 || first === undefined) return `${paths.length} files`;
  return first === '-' ? 'standard input' : basename(first) || first;
}
