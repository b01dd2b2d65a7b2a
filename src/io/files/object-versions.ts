import type { RawObject } from '../../core/kube/snapshot.ts';

/** As numbers of any length, as KEP-5504 has them; 0 if one of them is no number. */
export function compareVersions(one: unknown, other: unknown): number {
  if (!isVersion(one) || !isVersion(other)) return 0;
  return one.length - other.length || (one === other ? 0 : Number(one > other) * 2 - 1);
}

function isVersion(value: unknown): value is string {
  return typeof value === 'string' && /^(?:0|[1-9]\d*)$/.test(value);
}

/** Dumps hold the same object in several files; only a difference is worth a word. */
export function isSame(one: RawObject, other: RawObject): boolean {
  const [version, otherVersion] = [one.metadata['resourceVersion'], other.metadata['resourceVersion']];
  if (version !== undefined && version === otherVersion && one.metadata.uid === other.metadata.uid) return true;
  return JSON.stringify(one) === JSON.stringify(other);
}
