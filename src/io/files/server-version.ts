import type { RawObject } from '../../core/kube/snapshot.ts';

type Fields = Readonly<Record<string, unknown>>;

/** `kubectl version -o json` or a support bundle's cluster_version.json. */
export function versionIn(head: Fields): string | undefined {
  for (const holder of [head['serverVersion'], head['info'], head]) {
    const version = typeof holder === 'object' && holder !== null ? (holder as Fields)['gitVersion'] : undefined;
    if (typeof version === 'string') return version;
  }
  return undefined;
}

export function newestKubelet(objects: Iterable<RawObject>): string | undefined {
  let newest: { readonly text: string; readonly parts: readonly number[] } | undefined;
  for (const object of objects) {
    if (object.kind !== 'Node') continue;
    const text = (object['status'] as { readonly nodeInfo?: { readonly kubeletVersion?: unknown } } | undefined)
      ?.nodeInfo?.kubeletVersion;
    const match = typeof text === 'string' ? /^v(\d+)\.(\d+)\.(\d+)/.exec(text) : null;
    if (!match) continue;
    const parts = match.slice(1).map(Number);
    if (!newest || isNewer(parts, newest.parts)) newest = { text: match.input, parts };
  }
  return newest?.text;
}

function isNewer(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && (a[at] as number) > (b[at] as number);
}
