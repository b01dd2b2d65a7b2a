import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askTrace } from '../../../src/core/survey/trace/ask-trace.ts';
import type { TargetRef } from '../../../src/core/kube/selection.ts';
import type { RawObject, Snapshot } from '../../../src/core/kube/snapshot.ts';
import type { Trace } from '../../../src/core/report/trace.ts';
import { renderTrace } from '../../../src/commands/trace/text.ts';
import { baseObjects, loadScenarios, snapshotOf } from '../../kit/scenario.ts';
import {
  attachStuck,
  delayedLife,
  event,
  events,
  provisionFailed,
  provisionFails,
  snapshotLife,
  snapshotWith,
  at,
  volumeName,
  withoutRecords,
  wrote,
} from './trace-samples.ts';

const schema = JSON.parse(readFileSync(new URL('../../../docs/trace.schema.json', import.meta.url), 'utf8')) as object;
const validate = new Ajv2020({ allErrors: true, strictRequired: false }).compile(schema);
const data: TargetRef = { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' };

function traceOf(snapshot: Snapshot, target: TargetRef = data): Trace {
  const { trace } = askTrace(snapshot, target);
  if (!trace) throw new Error('nothing was traced');
  return trace;
}

const told = (trace: Trace): string[] =>
  trace.timeline
    .filter(({ isMinor }) => !isMinor)
    .map(
      ({ offset, certainty, component, what }) =>
        `${certainty === 'latest' ? '<=' : ''}${offset} ${component}: ${what}`,
    );
const spent = (trace: Trace): string[] =>
  (trace.accounts[0]?.spans ?? []).map(({ stages, state, seconds, percent }) =>
    [stages.join('+'), state, seconds, percent].filter((part) => part !== undefined).join(' '),
  );
const broken = ({ chain }: Trace): string[] => chain.filter(({ isBroken }) => isBroken).map(({ role }) => role);
/** A name stands alone on its line, since it is never broken. */
const isName = (line: string): boolean => /^ *(\S \S+ +)?\S+( in \S+)?$/.test(line);
const life = [
  '0 kubectl create: pvc/data was created (5Gi, class fast-wffc)',
  '40 StatefulSet controller: pod/web-0 was created',
  '45 scheduler: chose node-a for pvc/data',
  `57 provisioner: created pv/${volumeName}`,
  `58 volume controller: bound pvc/data to pv/${volumeName}`,
  '59 scheduler: assigned pod/web-0 to node-a',
  `60 attach-detach controller: requested the attachment of pv/${volumeName} to node-a`,
  `72 attacher: attached pv/${volumeName} to node-a`,
  '<=78 kubelet on node-a: had mounted all volumes of pod/web-0',
  '80 kubelet on node-a: started container main of pod/web-0',
  '80 kubelet on node-a: pod/web-0 became ready',
];

describe('the life of a volume', () => {
  it('is rebuilt from the objects alone when all events have expired', () => {
    const trace = traceOf(snapshotWith());
    expect(told(trace)).toEqual(life);
    expect(trace.isWithoutEvents).toBe(true);
    expect(spent(trace)).toEqual([
      'before the pod idle 40',
      'choose node done 5 13',
      'provision done 12 32',
      'bind done 1 3',
      'schedule done 1 3',
      'attach done 13 34',
      'mount done 6 16',
    ]);
    expect(trace.accounts[0]).toMatchObject({ seconds: 38, pod: { kind: 'Pod', name: 'web-0' } });
  });

  it('does not tell a fact twice when events repeat it, and takes their words', () => {
    const trace = traceOf(snapshotWith(undefined, events));
    const own = [
      '0 volume controller: waits for a pod that uses pvc/data',
      '45 provisioner: began to provision a volume for pvc/data',
    ];
    expect(told(trace).filter((line) => !own.includes(line))).toEqual(life);
    expect(trace.timeline.find(({ what }) => what.startsWith('assigned'))).toMatchObject({
      said: 'Successfully assigned shop/web-0 to node-a',
      sources: ['status.conditions[PodScheduled].lastTransitionTime', 'event Scheduled'],
    });
    expect(trace.timeline.find(({ what }) => what.startsWith('waits for a pod'))).toMatchObject({
      count: 3,
      until: at(30),
    });
    expect(trace).not.toHaveProperty('isWithoutEvents');
  });

  it('does not part two stages whose border nobody wrote down', () => {
    const trace = traceOf(snapshotWith(withoutRecords));
    expect(spent(trace)).toEqual([
      'before the pod idle 40',
      'choose node+provision done 17 45',
      'bind done 1 3',
      'schedule done 1 3',
      'attach+mount done 19 50',
    ]);
    expect(told(trace)[0]).toBe('0 unknown: pvc/data was created (5Gi, class fast-wffc)');
  });

  it('takes the time of an event where the object has none', () => {
    expect(spent(traceOf(snapshotWith(withoutRecords, events)))).toContain('attach done 13 34');
  });

  it('is the same seen from the pod, the volume and the attachment', () => {
    const snapshot = snapshotWith();
    const attachment = delayedLife.find(({ kind }) => kind === 'VolumeAttachment')?.metadata.name ?? '';
    for (const target of [
      { kind: 'Pod', namespace: 'shop', name: 'web-0' },
      { kind: 'PersistentVolume', name: volumeName },
      { kind: 'VolumeAttachment', name: attachment },
    ] as const) {
      const trace = traceOf(snapshot, target);
      expect(told(trace).toSorted()).toEqual(life.toSorted());
      expect(trace.chain.map(({ role }) => role)).toEqual([
        'pod',
        'claim',
        'class',
        'volume',
        'attachment',
        'node',
        'registration',
        'nodePlugin',
        'driver',
        'provisioner',
        'attacher',
      ]);
    }
  });

  it('knows a pod that came after the one for which the volume was made', () => {
    const trace = traceOf(
      snapshotWith((object) =>
        object.kind === 'Pod'
          ? {
              ...object,
              metadata: { ...object.metadata, creationTimestamp: at(200), managedFields: [] },
              status: { phase: 'Pending', conditions: [] },
              spec: { ...(object['spec'] as object), nodeName: undefined },
            }
          : object,
      ),
    );
    expect(spent(trace).slice(0, 5)).toEqual([
      'choose node done 45 28',
      'provision done 12 8',
      'bind done 1 1',
      'before the pod idle 142',
      'schedule open 100 63',
    ]);
  });

  it('tells leaders and driver pods only while the volume was on its way', () => {
    const driverPod = baseObjects().find(({ metadata }) => metadata.name === 'csi-controller-6d5f7-x2x4z') as RawObject;
    const restarted = (seconds: number): RawObject => ({
      ...driverPod,
      status: {
        ...(driverPod['status'] as object),
        containerStatuses: [
          { name: 'csi-attacher', ready: true, restartCount: 4, state: { running: { startedAt: at(seconds) } } },
        ],
      },
    });
    const restart = 'started container csi-attacher of pod/csi-controller-6d5f7-x2x4z, restart 4';
    const told = (seconds: number): string[] =>
      traceOf(
        snapshotOf([
          ...baseObjects().filter((object) => object.metadata.name !== driverPod.metadata.name),
          restarted(seconds),
          ...delayedLife,
        ]),
      ).timeline.map(({ what }) => what);
    expect(told(70)).toContain(restart);
    expect(told(200)).not.toContain(restart);
  });
});

describe('the record of writes as real servers keep it', () => {
  const claimWrites =
    (...managedFields: readonly Record<string, unknown>[]) =>
    (object: RawObject): RawObject =>
      object.kind === 'PersistentVolumeClaim'
        ? { ...object, metadata: { ...object.metadata, managedFields: [...managedFields] } }
        : object;
  const body = [
    ['f:spec', 'f:accessModes'],
    ['f:spec', 'f:resources', 'f:requests', 'f:storage'],
    ['f:spec', 'f:storageClassName'],
  ];
  const binding = wrote('kube-controller-manager', 0, [
    ['f:metadata', 'f:annotations', 'f:pv.kubernetes.io/bind-completed'],
    ['f:spec', 'f:volumeName'],
  ]);

  it('does not take the controller that bound the claim in the same second for its maker', () => {
    expect(told(traceOf(snapshotWith(claimWrites(binding, wrote('helm', 1, body)))))[0]).toBe(
      '0 helm: pvc/data was created (5Gi, class fast-wffc)',
    );
  });

  it('knows the maker who wrote again later, and does not say of what that was that it was the size', () => {
    const lines = told(
      traceOf(
        snapshotWith(claimWrites(binding, wrote('helm', 120, [...body, ['f:spec', 'f:volumeAttributesClassName']]))),
      ),
    );
    expect(lines[0]).toBe('0 helm: pvc/data was created (class fast-wffc)');
    expect(lines).toContain('120 helm: changed pvc/data');
    expect(lines.join('\n')).not.toContain('requested 5Gi');
  });

  it('does not lay to the making of a claim the size that it was grown to, nor a gap to the time in which it was used', () => {
    const grown = traceOf(
      snapshotWith(
        claimWrites(
          wrote('helm', 0, [body[0] as string[], body[2] as string[]]),
          binding,
          wrote('kubectl-patch', 200, [body[1] as string[]]),
        ),
      ),
    );
    expect(told(grown)[0]).toBe('0 helm: pvc/data was created (class fast-wffc)');
    expect(told(grown).at(-1)).toBe('200 kubectl patch: requested 5Gi for pvc/data');
    expect(grown.gaps.filter(({ to }) => to === at(200))).toEqual([]);
  });

  it('knows a program by its name with a version, and calls a client without a name nobody it knows', () => {
    const renamed = (object: RawObject): RawObject => ({
      ...object,
      metadata: {
        ...object.metadata,
        managedFields: (object.metadata['managedFields'] as Record<string, unknown>[] | undefined)?.map((entry) => ({
          ...entry,
          manager:
            {
              'kube-controller-manager': 'kube-controller-manager-v1.37.1',
              'csi-attacher': 'unknown',
              'kubectl-create': 'unknown',
            }[entry['manager'] as string] ?? entry['manager'],
        })),
      },
    });
    expect(told(traceOf(snapshotWith(renamed)))).toEqual(life.map((line) => line.replace('kubectl create', 'unknown')));
  });

  it('charges the time before the attachment was asked for to who had to ask', () => {
    const late = (object: RawObject): RawObject | undefined => {
      const stuck = attachStuck(object);
      return stuck?.kind === 'VolumeAttachment'
        ? { ...stuck, metadata: { ...stuck.metadata, creationTimestamp: at(110), managedFields: [] } }
        : stuck;
    };
    const { gaps } = traceOf(snapshotWith(late));
    expect(gaps).toContainEqual(
      expect.objectContaining({ from: at(59), to: at(110), waitedFor: 'the attach-detach controller' }),
    );
  });

  it('tells the start of the containers of a driver as one', () => {
    const driverPod = baseObjects().find(({ metadata }) => metadata.name === 'csi-controller-6d5f7-x2x4z') as RawObject;
    const containerStatuses = ['driver', 'csi-attacher', 'csi-resizer'].map((name) => ({
      name,
      ready: true,
      restartCount: name === 'csi-resizer' ? 2 : 0,
      state: { running: { startedAt: at(70) } },
    }));
    const lines = told(
      traceOf(
        snapshotOf([
          ...baseObjects().filter(({ metadata }) => metadata.name !== driverPod.metadata.name),
          { ...driverPod, status: { ...(driverPod['status'] as object), containerStatuses } },
          ...delayedLife,
        ]),
      ),
    );
    expect(lines.filter((line) => line.includes('csi-controller') && line.includes('started'))).toEqual([
      '70 kubelet on node-a: started 2 containers of pod/csi-controller-6d5f7-x2x4z: driver, csi-attacher',
      '70 kubelet on node-a: started container csi-resizer of pod/csi-controller-6d5f7-x2x4z, restart 2',
    ]);
  });
});

describe('a claim that grows or changes without a pod', () => {
  const alone =
    (change: (spec: Record<string, unknown>) => Record<string, unknown>) =>
    (object: RawObject): RawObject | undefined => {
      if (object.kind === 'Pod' || object.kind === 'VolumeAttachment') return undefined;
      if (object.kind !== 'PersistentVolumeClaim') return object;
      const wish = wrote('kubectl-patch', 200, [
        ['f:spec', 'f:resources', 'f:requests', 'f:storage'],
        ['f:spec', 'f:volumeAttributesClassName'],
      ]);
      return {
        ...object,
        spec: change(object['spec'] as Record<string, unknown>),
        metadata: { ...object.metadata, managedFields: [...(object.metadata['managedFields'] as object[]), wish] },
      };
    };

  it.each([
    ['expand', alone((spec) => ({ ...spec, resources: { requests: { storage: '8Gi' } } }))],
    ['modify', alone((spec) => ({ ...spec, volumeAttributesClassName: 'gold' }))],
  ])('waits for the resizer, and for no pod: %s', (stage, change) => {
    const trace = traceOf(snapshotWith(change));
    expect(spent(trace).slice(-2)).toEqual(['no pod idle 142', `${stage} open 100 63`]);
    expect(trace.chain.map(({ role }) => role)).toContain('resizer');
    expect(trace.gaps.at(-1)).toMatchObject({ isOpen: true, waitedFor: 'the resizer of csi.example.com' });
  });
});

describe('a volume that is stuck', () => {
  it('marks the attachment that fails, and charges the time to the attacher', () => {
    const trace = traceOf(snapshotWith(attachStuck));
    expect(trace.verdict).toMatchObject({
      status: 'blocked',
      stage: 'attach',
      cause: 'attach-rpc-limit',
      command: 'kubectl csi why pvc/data -n shop',
    });
    expect(broken(trace)).toEqual(['attachment']);
    expect(trace.accounts[0]?.spans.find(({ state }) => state === 'open')).toMatchObject({
      stages: ['attach'],
      seconds: 241,
      percent: 93,
      note: 'waits for the attacher of csi.example.com',
    });
    expect(trace.gaps).toContainEqual(
      expect.objectContaining({ seconds: 220, waitedFor: 'the attacher of csi.example.com' }),
    );
    expect(told(trace).at(-1)).toBe(`280 attacher: last failed to attach pv/${volumeName} to node-a (gRPC code 8)`);
  });

  it('puts an error of the object and the events that repeat it on one line, from the first to the last', () => {
    const pod = delayedLife.find(({ kind }) => kind === 'Pod') as RawObject;
    const failed = event(
      pod,
      'FailedAttachVolume',
      `AttachVolume.Attach failed for volume "${volumeName}" : rpc error: code = ResourceExhausted desc = node i-a has 25 of 25 volumes`,
      'attachdetach-controller',
      [63, 280],
      { type: 'Warning', count: 12 },
    );
    const lines = traceOf(snapshotWith(attachStuck, [failed])).timeline.filter(({ what }) =>
      what.includes('failed to attach'),
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      offset: 63,
      count: 12,
      until: at(280),
      component: 'attacher',
      what: `failed to attach pv/${volumeName} to node-a (gRPC code 8)`,
    });
  });

  it('marks the volume that is never made, and says that nothing new happened since', () => {
    const trace = traceOf(snapshotWith(provisionFails, provisionFailed));
    expect(trace.verdict.cause).toBe('provision-resource-exhausted');
    expect(broken(trace)).toEqual(['volume']);
    expect(told(trace)).toContain('46 volume controller: asked csi.example.com for a volume for pvc/data');
    expect(trace.gaps.at(-1)).toMatchObject({
      waitedFor: 'the provisioner of csi.example.com',
      isNoisy: true,
      isOpen: true,
    });
  });

  it('calls no link healthy that could not be read', () => {
    const denied = ['PersistentVolume', 'StorageClass', 'Node', 'CSINode', 'VolumeAttachment', 'Lease', 'CSIDriver'];
    const trace = traceOf(snapshotWith(attachStuck, [], { denied }));
    expect(trace.verdict.status).toBe('unknown');
    expect(trace.chain.filter(({ state }) => state === 'ok').map(({ role }) => role)).toEqual(['claim']);
    expect(new Set(trace.unread.map(({ resource }) => resource))).toEqual(
      new Set(['persistentvolumes', 'storageclasses', 'nodes', 'csinodes', 'volumeattachments']),
    );
  });

  it('does not say that there are no events when they could not be read', () => {
    expect(traceOf(snapshotWith(undefined, [], { denied: ['Event'] }))).not.toHaveProperty('isWithoutEvents');
  });

  it('counts a deletion from the moment it was asked for', () => {
    const trace = traceOf(
      snapshotWith((object) =>
        object.kind === 'PersistentVolumeClaim'
          ? { ...object, metadata: { ...object.metadata, deletionTimestamp: at(100), deletionGracePeriodSeconds: 0 } }
          : object,
      ),
    );
    expect(spent(trace)).toEqual(['delete open 200 100']);
    expect(trace.gaps.at(-1)).toMatchObject({ waitedFor: 'kubernetes.io/pvc-protection to be removed', isOpen: true });
  });
});

describe('a snapshot', () => {
  it('is told from the wish to the moment of its data and of its use', () => {
    const trace = traceOf(snapshotWith(undefined, snapshotLife), {
      kind: 'VolumeSnapshot',
      namespace: 'shop',
      name: 'nightly',
    });
    expect(told(trace)).toEqual([
      '0 backup-operator: volumesnapshot/nightly was created (of pvc/data)',
      '1 snapshot controller: created volumesnapshotcontent/snapcontent-uid-nightly',
      '4 driver: took the snapshot: its data is of this moment',
      '<=30 snapshotter: volumesnapshotcontent/snapcontent-uid-nightly became ready to use',
      '<=31 snapshot controller: volumesnapshot/nightly became ready to use',
    ]);
    expect(spent(trace)).toEqual(['content done 1 3', 'take done 3 10', 'ready done 27 87']);
    expect(trace.chain.map(({ role, state }) => `${role} ${state}`)).toEqual([
      'snapshot ok',
      'content ok',
      'snapshotClass ok',
      'snapshotController ok',
      'snapshotter ok',
      'claim ok',
      'volume ok',
    ]);
  });
});

describe('damaged objects', () => {
  const snapshot = snapshotWith(undefined, [...events, ...snapshotLife]);
  const targets: readonly TargetRef[] = [
    data,
    { kind: 'Pod', namespace: 'shop', name: 'web-0' },
    { kind: 'PersistentVolume', name: volumeName },
    { kind: 'VolumeSnapshot', namespace: 'shop', name: 'nightly' },
  ];
  const junk: readonly unknown[] = [null, -5, '', 'x', [], {}, [null], '9999-12-31T23:59:59Z'];

  it('are told as far as they go', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min: 0, max: 40 * junk.length })), (numbers) => {
        const damage = (value: unknown, depth: number): unknown => {
          const { value: number = 0 } = numbers.next();
          if (depth > 1 && number < junk.length) return junk[number];
          if (Array.isArray(value)) return value.map((item) => damage(item, depth + 1));
          if (typeof value !== 'object' || value === null) return value;
          return Object.fromEntries(
            Object.entries(value).map(([key, item]) => [
              key,
              key === 'kind' || (key === 'name' && depth === 1) ? item : damage(item, depth + 1),
            ]),
          );
        };
        const damaged = { ...snapshot, objects: snapshot.objects.map((object) => damage(object, 0) as RawObject) };
        for (const target of targets) {
          const { trace } = askTrace(damaged, target);
          if (!trace) continue;
          validate(trace);
          expect(validate.errors ?? []).toEqual([]);
          expect(renderTrace(trace, { width: 80, colour: false })).not.toMatch(/undefined|NaN|Invalid Date|\[object/);
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('every scenario', () => {
  const traced = loadScenarios().filter(({ target }) =>
    [
      'PersistentVolumeClaim',
      'Pod',
      'PersistentVolume',
      'VolumeAttachment',
      'VolumeSnapshot',
      'VolumeSnapshotContent',
    ].includes(target.kind),
  );

  it.each(traced)(
    '$id gives a valid trace that points at one link when it is blocked, and keeps to its columns, with events and without',
    ({ snapshot, target }) => {
      for (const each of [
        snapshot,
        { ...snapshot, objects: snapshot.objects.filter(({ kind }) => kind !== 'Event') },
      ]) {
        const { trace } = askTrace(each, target);
        if (!trace) continue;
        validate(trace);
        expect(validate.errors ?? []).toEqual([]);
        if (trace.chain.length > 0) expect(broken(trace)).toHaveLength(trace.verdict.status === 'blocked' ? 1 : 0);
        const lines = renderTrace(trace, { width: 80, colour: false }).split('\n');
        expect(lines.filter((line) => line.length > 80 && !line.includes('kubectl csi why') && !isName(line))).toEqual(
          [],
        );
      }
    },
  );
});
