import { UserError } from '../../core/kube/errors.ts';
import { shellWord } from '../../core/kube/shell-word.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';

/** This many objects of the same name that are all others: one or two may have been recreated between two dumps. */
const enoughStrangers = 3;
/** Pods and claims of one name may all be others an hour later; these last as long as the cluster. */
const lastingKinds: ReadonlySet<string> = new Set([
  'Namespace',
  'Node',
  'StorageClass',
  'CSIDriver',
  'CSINode',
  'PersistentVolume',
  'VolumeSnapshotClass',
]);
/** Captures without names do not name their cluster. */
const nameless: ReadonlySet<unknown> = new Set(['anonymized', '', 'standard input']);

interface Encounter {
  same: number;
  others: RawObject[];
}

/**
 * Notices that dumps are of different clusters: merged, they would be a cluster that does not exist. Every object of a
 * cluster has a uid of its own, and that of kube-system never changes.
 */
export class ClusterIdentity {
  /** The file that is being read. */
  path = '';
  readonly #names = new Map<string, string>();
  readonly #encounters = new Map<string, Encounter>();

  /** A capture records the context that it was taken with. */
  addCapture(source: unknown): void {
    const name = typeof source === 'object' && source !== null && 'name' in source ? source.name : undefined;
    if (typeof name === 'string' && !nameless.has(name)) this.#names.set(this.path, name);
  }

  /** Two objects of one name, the known one from another file. */
  compare(known: RawObject, object: RawObject, origin: string): void {
    const [one, other] = [known.metadata.uid, object.metadata.uid];
    if (origin === this.path || one === undefined || other === undefined || one === '' || other === '') return;
    const key = JSON.stringify([origin, this.path]);
    const encounter = this.#encounters.get(key) ?? { same: 0, others: [] };
    this.#encounters.set(key, encounter);
    if (one === other) encounter.same += 1;
    else if (isKubeSystem(object))
      throw differentClusters(origin, this.path, 'the namespace kube-system has another uid');
    else if (lastingKinds.has(object.kind)) encounter.others.push(object);
  }

  /** Throws if no object that two files share is the same one. */
  refuseDifferent(): void {
    for (const [key, { same, others }] of this.#encounters) {
      if (same > 0 || others.length < enoughStrangers) continue;
      const [one = '', other = ''] = JSON.parse(key) as readonly string[];
      const [first] = others;
      throw differentClusters(
        one,
        other,
        `all ${others.length} objects that have the same name in both are different objects, such as ` +
          `${first?.kind ?? ''} ${first?.metadata.name ?? ''}`,
      );
    }
  }

  /** What captures report about themselves; a cluster may have several names, so this alone proves nothing. */
  doubts(): string[] {
    const [[path, name] = ['', ''], ...others] = this.#names;
    return others
      .filter(([, other]) => other !== name)
      .map(
        ([otherPath, other]) =>
          `${path} was taken of ${name}, and ${otherPath} of ${other}: they are read as one cluster. ` +
          `${apart([name, path], [other, otherPath])}`,
      );
  }
}

function isKubeSystem({ kind, metadata }: RawObject): boolean {
  return kind === 'Namespace' && metadata.name === 'kube-system';
}

function differentClusters(one: string, other: string, why: string): UserError {
  return new UserError(`${one} and ${other} are of different clusters: ${why}`, apart(['one', one], ['two', other]));
}

/** How to read them as two clusters. */
function apart(...dumps: readonly (readonly [name: string, path: string])[]): string {
  // A part of an archive cannot be named, nor can standard input twice.
  if (dumps.some(([, path]) => /\.(?:tar|t?gz|tgz|zip):/.test(path) || path === '-'))
    return 'Unpack them, and name each: --from NAME=PATH --from NAME=PATH';
  return `Keep them apart by naming each: ${dumps.map(([name, path]) => `--from ${shellWord(`${name}=${path}`)}`).join(' ')}`;
}
