import { brokenTexts, fullTexts, readOnlyTexts } from '../../core/kube/volume-words.ts';

type Fields = Readonly<Record<string, unknown>>;

const absolutePath = /(?<=^|[\s"'`(=:])\/[^\s"'`:;,)\]}]+/;
/** What programs and runtimes print before a path or an error: an operation, or a severity. */
const operations =
  'panic|fatal|error|open|openat|read|write|mkdir|mkdirat|rename|renameat|touch|cp|mv|rm|stat|chown|chmod|fsync|fdatasync|sync|truncate|ftruncate|unlink|remove|create|symlink|cannot';
const operation = new RegExp(String.raw`\b(?:${operations})\b`);
const isOperation = new RegExp(`^(?:${operations})$`, 'i');
const telling = new RegExp(
  [absolutePath, fullTexts, readOnlyTexts, brokenTexts, operation].map(({ source }) => `(?:${source})`).join('|'),
  'gi',
);
const punctuation = /^[\s:]{1,3}$/;

/**
 * Keeps of a program's termination message, which may be the end of a log, only what concerns a volume: the paths of
 * volumes, errors of a file system, and operations next to them. Another path becomes `/-`, because it shows that the
 * error is not in a volume. Undefined if nothing concerns one.
 */
export function reduceLastWords(message: string, pod: object): string | undefined {
  const mounts = mountPathsOf(pod);
  const isInVolume = (path: string): boolean => mounts.some((mount) => path === mount || path.startsWith(`${mount}/`));
  let words = '';
  let end = 0;
  let isTelling = false;
  for (const { 0: found, index } of message.matchAll(telling)) {
    const isElsewhere = found.startsWith('/') && !isInVolume(found);
    isTelling ||= !isElsewhere && !isOperation.test(found);
    const between = message.slice(end, index);
    const gap = punctuation.test(between) ? between : ' … ';
    words += `${words === '' ? '' : gap}${isElsewhere ? '/-' : found}`;
    end = index + found.length;
  }
  return isTelling ? words : undefined;
}

function mountPathsOf(pod: object): string[] {
  const { spec } = pod as { readonly spec?: { readonly [list: string]: unknown } };
  return [spec?.['containers'], spec?.['initContainers']]
    .flatMap((list) => (Array.isArray(list) ? (list as readonly Fields[]) : []))
    .flatMap(({ volumeMounts }) => (Array.isArray(volumeMounts) ? (volumeMounts as readonly Fields[]) : []))
    .flatMap(({ mountPath }) => (typeof mountPath === 'string' ? [mountPath.replace(/\/+$/, '')] : []))
    .filter((path) => path !== '');
}
