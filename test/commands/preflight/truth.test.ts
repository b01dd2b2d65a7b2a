import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFiles } from '../../../src/io/files/read-files.ts';
import type { Manifest } from '../../../src/core/report/preflight.ts';
import { resourceNamed } from '../../../src/core/kube/resources.ts';
import type { RawObject, Snapshot } from '../../../src/core/kube/snapshot.ts';
import { preflight } from '../../../src/commands/preflight/answer.ts';
import { asWritten, splitScenario } from './scenario-manifests.ts';

const directory = join(import.meta.dirname, '../../truth');

/** Told before the fact by what stands in the way first. */
const toldOtherwise: Readonly<Record<string, string>> = {
  'attributes-class-missing': 'provision-vac-invalid',
  'lost-claim': 'pvc-volumename-not-found',
};

/** Of these a real cluster shows the fault without anything having been tried. */
const foretold = [
  'capacity-not-published',
  'ephemeral-conflict',
  'missing-class',
  'node-affinity-conflict',
  'pod-missing-pvc',
  'provisioner-down',
  'quota-statefulset',
  'rwop-conflict',
  'selector-on-dynamic',
  'snapshot-missing',
  'wffc-insufficient-cpu',
];

interface Expectation {
  readonly target: string;
  readonly namespace: string;
  readonly cause: string | null;
}

const cases = readdirSync(directory)
  .sort()
  .flatMap((name) =>
    [JSON.parse(readFileSync(join(directory, name, 'expect.json'), 'utf8')) as Expectation | Expectation[]]
      .flat()
      .map((expectation) => ({ name, ...expectation })),
  );
const load = (name: string): Promise<Snapshot> =>
  readFiles([join(directory, name, 'cluster.yaml')], { complete: true });
const asManifest = (object: RawObject, index: number): Manifest => ({
  object,
  place: { file: 'all.yaml', line: index + 1, document: index + 1 },
  lines: {},
});

describe('preflight on dumps of real clusters', () => {
  it.each(cases)('$name: foretells the true cause or none', async ({ name, target, namespace, cause: trueCause }) => {
    const [type = '', object = ''] = target.split('/');
    const { cluster, manifests } = splitScenario({
      snapshot: await load(name),
      target: { kind: resourceNamed(type)?.kind ?? 'PersistentVolumeClaim', namespace, name: object },
    });
    const { report } = preflight(cluster, manifests, namespace);
    const failing = report.items.filter(({ status }) => status === 'wouldFail').map(({ cause }) => cause);
    expect(failing.filter((cause) => cause !== trueCause && cause !== toldOtherwise[name])).toEqual([]);
    if (foretold.includes(name)) expect(failing.length).toBeGreaterThan(0);
  });

  it.each(['healthy', 'missing-class', 'multi-attach', 'quota-statefulset'])(
    '%s: what is there already, applied once more, changes nothing',
    async (name) => {
      const snapshot = await load(name);
      const manifests = snapshot.objects
        .filter(({ kind }) =>
          ['PersistentVolumeClaim', 'PersistentVolume', 'StorageClass', 'StatefulSet', 'Deployment', 'Pod'].includes(
            kind,
          ),
        )
        .map(asManifest);
      const { report } = preflight(snapshot, manifests, 'default');
      expect(report.items.length).toBeGreaterThan(2);
      expect(report.items.filter(({ exists }) => exists !== 'unchanged').map(({ object }) => object)).toEqual([]);
      expect(report.items.filter(({ cause }) => cause === 'field-immutable')).toEqual([]);
      const bound = report.items.filter(
        ({ object: { kind }, summary }) => kind === 'PersistentVolumeClaim' && summary.includes('bound to pv/'),
      );
      expect(bound.filter(({ status }) => status !== 'ok')).toEqual([]);
    },
  );

  it('healthy: what works there would have been foretold to work', async () => {
    const snapshot = await load('healthy');
    const isBound = (object: RawObject): boolean =>
      (object['status'] as { readonly phase?: string } | undefined)?.phase === 'Bound';
    const claims = snapshot.objects.filter((object) => object.kind === 'PersistentVolumeClaim' && isBound(object));
    const namespaces = new Set(claims.map(({ metadata }) => metadata.namespace));
    const pods = snapshot.objects.filter(
      (object) => object.kind === 'Pod' && namespaces.has(object.metadata.namespace),
    );
    const made = new Set(
      snapshot.objects.filter(
        (object) =>
          claims.includes(object) ||
          pods.includes(object) ||
          object.kind === 'VolumeAttachment' ||
          (object.kind === 'PersistentVolume' && isBound(object)),
      ),
    );
    const written = [...claims, ...pods].map(asWritten).map((object) => {
      const { volumeName: _volume, nodeName: _node, ...spec } = object['spec'] as Record<string, unknown>;
      return { ...object, spec };
    });
    const { report } = preflight(
      { ...snapshot, objects: snapshot.objects.filter((object) => !made.has(object)) },
      written.map(asManifest),
      'default',
    );
    expect(report.items.length).toBeGreaterThan(2);
    expect(
      report.items
        .filter(({ status }) => status !== 'ok')
        .map(({ object, status, summary }) => ({ object, status, summary })),
    ).toEqual([]);
  });
});
