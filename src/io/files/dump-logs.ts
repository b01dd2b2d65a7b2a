import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerLog, LogName, LogNeed } from '../../core/kube/container-log.ts';
import { isGzip } from './decode.ts';
import { isArchiveName } from './find-files.ts';
import { openArchive } from './open-archive.ts';
import { unpack } from './unpack.ts';

/** Of a longer log the end is kept: it is nearest to the moment of the dump. */
const mostBytes = 4 * 1024 * 1024;
const mostLines = 3000;

interface LogFile {
  readonly segments: readonly string[];
  readonly read: () => Promise<Buffer>;
}

/**
 * The logs that a dump holds next to its objects. A log is searched by the usual paths, and read only when it is
 * needed.
 */
export class DumpLogs {
  readonly #paths: readonly string[];

  constructor(paths: readonly string[]) {
    this.#paths = paths.filter((path) => path !== '-');
  }

  /** Whether there is any file that could be a log. */
  async holdsAny(): Promise<boolean> {
    for (const path of this.#paths) {
      const first = await filesIn(path).next();
      if (first.done !== true) return true;
    }
    return false;
  }

  async read({ namespace, pod, container, previous }: LogNeed): Promise<ContainerLog> {
    const name: LogName = { namespace, pod, container, ...(previous === true && { previous }) };
    for (const path of this.#paths)
      for await (const file of filesIn(path)) {
        const section = sectionOf(file.segments, name);
        if (section === undefined) continue;
        const bytes = await file.read();
        const text = await textOf(bytes);
        const own = section === 'whole' ? text : partOf(text, name);
        if (own !== undefined) return { ...name, state: 'complete', ...lastLines(own) };
      }
    return { ...name, state: 'missing', message: 'not in the dump', lines: [] };
  }
}

/** Whether a file holds the log, alone or among those of its pod, by where it is in the dump. */
function sectionOf(
  segments: readonly string[],
  { namespace, pod, container, previous }: LogName,
): 'whole' | 'part' | undefined {
  const path = segments.join('/').replace(/\.gz$/, '');
  const endsWith = (end: string): boolean => path === end || path.endsWith(`/${end}`);
  const which = previous === true ? 'previous' : 'current';
  const suffix = previous === true ? '-previous' : '';
  const whole = [
    // must-gather
    `namespaces/${namespace}/pods/${pod}/${container}/${container}/logs/${which}.log`,
    // support-bundle: its own collector of pod logs, and those that a specification names
    `pods/logs/${namespace}/${pod}/${container}${suffix}.log`,
    `${namespace}/${pod}/${container}${suffix}.log`,
    // sonobuoy
    ...(previous === true ? [] : [`podlogs/${namespace}/${pod}/logs/${container}.txt`]),
  ];
  if (whole.some(endsWith)) return 'whole';
  // COLLECTOR/POD/CONTAINER.log, without a namespace: the names of pods are random enough.
  if (segments.length <= 4 && endsWith(`${pod}/${container}${suffix}.log`)) return 'whole';
  // kubectl cluster-info dump writes all containers of a pod into one file.
  return previous !== true && endsWith(`${namespace}/${pod}/logs.txt`) ? 'part' : undefined;
}

function partOf(text: string, { container }: LogName): string | undefined {
  const begin = new RegExp(String.raw`^==== START logs for container ${escaped(container)} of pod .* ====$`, 'm').exec(
    text,
  );
  if (!begin) return undefined;
  const rest = text.slice(begin.index + begin[0].length + 1);
  const end = /^==== END logs for container .* ====$/m.exec(rest);
  return end ? rest.slice(0, end.index) : rest;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

async function textOf(bytes: Buffer): Promise<string> {
  const whole = isGzip(bytes) ? await unpack(bytes, 'gzip') : bytes;
  return whole.subarray(Math.max(0, whole.length - mostBytes)).toString('utf8');
}

function lastLines(text: string): Pick<ContainerLog, 'lines' | 'isCut'> {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  return lines.length > mostLines ? { lines: lines.slice(-mostLines), isCut: true } : { lines };
}

const mayHoldLog = /\.(?:log|txt)(?:\.gz)?$/i;

async function* filesIn(path: string): AsyncGenerator<LogFile> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) yield* filesBelow(path, []);
  else if (found?.isFile() && isArchiveName(path)) yield* filesOfArchive(path);
}

async function* filesBelow(directory: string, above: readonly string[]): AsyncGenerator<LogFile> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, entry.name);
    const segments = [...above, entry.name];
    if (entry.isDirectory()) yield* filesBelow(path, segments);
    else if (entry.isFile() && mayHoldLog.test(entry.name)) yield { segments, read: () => readFile(path) };
    else if (entry.isFile() && isArchiveName(entry.name)) yield* filesOfArchive(path);
  }
}

/** A damaged archive was reported when its objects were read. */
async function* filesOfArchive(path: string): AsyncGenerator<LogFile> {
  try {
    const entries = await openArchive(path);
    if (!entries) return;
    for await (const { name, segments, read, problem } of entries)
      if (problem === undefined && mayHoldLog.test(name)) yield { segments, read };
  } catch {
    return;
  }
}
