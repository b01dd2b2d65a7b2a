import { brokenTexts, fullTexts, readOnlyTexts } from '../../core/kube/volume-words.ts';

type Fields = Readonly<Record<string, unknown>>;

const absolutePath = /(?<=^|[\s"'`(=:])\/[^\s"'`:;,)\]}]+/;
const telling = new RegExp(
  [absolutePath, fullTexts, readOnlyTexts, brokenTexts].map(({ source }) => `(?:${source})`).join('|'),
  'gi',
);

/**
 * Of a program's last words, which may be the end of a log, only what tells of a volume: the paths of volumes, and errors of a file
 * system. Another path stands as a mere `/-`, because it shows that the error is not in a volume. Undefined where nothing tells.
 */
export function reduceLastWords(message: string, pod: object): string | undefined {
  const mounts = mountPathsOf(pod);
  const said = [...message.matchAll(telling)].map(([found]) =>
    found.startsWith('/') && !mounts.some((mount) => found === mount || found.startsWith(`${mount}/`)) ? '/-' : found,
  );
  return said.some((word) => word !== '/-') ? [...new Set(said)].join(': ') : undefined;
}

function mountPathsOf(pod: object): string[] {
  const { spec } = pod as { readonly spec?: { readonly [list: string]: unknown } };
  return [spec?.['containers'], spec?.['initContainers']]
    .flatMap((list) => (Array.isArray(list) ? (list as readonly Fields[]) : []))
    .flatMap(({ volumeMounts }) => (Array.isArray(volumeMounts) ? (volumeMounts as readonly Fields[]) : []))
    .flatMap(({ mountPath }) => (typeof mountPath === 'string' ? [mountPath.replace(/\/+$/, '')] : []))
    .filter((path) => path !== '');
}
