import { describe, expect, it } from 'vitest';
import { chooseVolume, matchVolume, reservationOf } from '../../../../src/core/facts/volume/volume-match.ts';
import type { MatchPath, VolumeCheck } from '../../../../src/core/facts/volume/volume-match.ts';
import type { Claim, Node, Volume } from '../../../../src/core/kube/kinds.ts';

type Spec<T extends { spec?: unknown }> = NonNullable<T['spec']>;

function claimOf(spec: Spec<Claim> = {}, metadata: Partial<Claim['metadata']> = {}): Claim {
  return {
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'shop', uid: 'u1', ...metadata },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '10Gi' } },
      storageClassName: 'manual',
      ...spec,
    },
  };
}

function volumeOf(spec: Spec<Volume> = {}, metadata: Partial<Volume['metadata']> = {}, phase = 'Available'): Volume {
  return {
    kind: 'PersistentVolume',
    metadata: { name: 'disk', ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '10Gi' }, storageClassName: 'manual', ...spec },
    status: phase === '' ? {} : { phase },
  };
}

const node: Node = { kind: 'Node', metadata: { name: 'node-a', labels: { zone: 'a' } } };
const elsewhere = {
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['b'] }] }] },
};
const search: MatchPath = { by: 'search' };
const named: MatchPath = { by: 'volumeName' };
const scheduler: MatchPath = { by: 'scheduler', node };
const reserved = { claimRef: { namespace: 'shop', name: 'data' } };
const others = { claimRef: { namespace: 'shop', name: 'else', uid: 'u9' } };

/** One check: what is wrong, and which of the paths mind. */
interface Row {
  readonly what: string;
  readonly check: VolumeCheck;
  readonly volume: Volume;
  readonly claim?: Claim;
  readonly search: boolean;
  readonly named: boolean;
  readonly scheduler: boolean;
}

const free: Row[] = [
  {
    what: 'another claim has it',
    check: 'claimed',
    volume: volumeOf(others),
    search: true,
    named: true,
    scheduler: true,
  },
  {
    what: 'a namesake that is gone had it',
    check: 'claimed',
    volume: volumeOf({ claimRef: { namespace: 'shop', name: 'data', uid: 'u0' } }, {}, 'Released'),
    search: true,
    named: true,
    scheduler: true,
  },
  {
    what: 'too small',
    check: 'capacity',
    volume: volumeOf({ capacity: { storage: '10G' } }),
    search: true,
    named: true,
    scheduler: true,
  },
  {
    what: 'no size',
    check: 'capacity',
    volume: volumeOf({ capacity: {} }),
    search: true,
    named: true,
    scheduler: true,
  },
  {
    what: 'block for file system',
    check: 'volumeMode',
    volume: volumeOf({ volumeMode: 'Block' }),
    search: true,
    named: true,
    scheduler: true,
  },
  {
    what: 'another attributes class',
    check: 'attributesClass',
    volume: volumeOf({ volumeAttributesClassName: 'gold' }),
    search: true,
    named: true,
    scheduler: true,
  },
  {
    what: 'being deleted',
    check: 'terminating',
    volume: volumeOf({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    search: true,
    named: true,
    scheduler: true,
  },
  {
    what: 'not Available',
    check: 'phase',
    volume: volumeOf({}, {}, 'Pending'),
    search: true,
    named: false,
    scheduler: true,
  },
  {
    what: 'without a phase',
    check: 'phase',
    volume: volumeOf({}, {}, ''),
    search: true,
    named: false,
    scheduler: true,
  },
  {
    what: 'without the labels',
    check: 'selector',
    volume: volumeOf(),
    claim: claimOf({ selector: { matchLabels: { tier: 'gold' } } }),
    search: true,
    named: false,
    scheduler: true,
  },
  {
    what: 'another class',
    check: 'class',
    volume: volumeOf({ storageClassName: 'slow' }),
    search: true,
    named: true,
    scheduler: true,
  },
  {
    what: 'on another node',
    check: 'nodeAffinity',
    volume: volumeOf({ nodeAffinity: elsewhere }),
    search: false,
    named: false,
    scheduler: true,
  },
  {
    what: 'without the mode',
    check: 'accessModes',
    volume: volumeOf({ accessModes: ['ReadWriteMany'] }),
    search: true,
    named: true,
    scheduler: true,
  },
];

/** The same for a volume that is reserved for the claim: phase and selector no longer count, and if both name each other nothing does. */
const prebound: Row[] = free
  .filter(({ check }) => check !== 'claimed')
  .map((row) => ({
    ...row,
    volume: { ...row.volume, spec: { ...row.volume.spec, ...reserved } },
    search: row.search && !['phase', 'selector', 'class'].includes(row.check),
    named: false,
    scheduler: row.scheduler && !['phase', 'selector', 'accessModes'].includes(row.check),
  }));

describe.each([
  ['free', free],
  ['reserved', prebound],
] as const)('a %s volume', (_kind, rows) => {
  it.each(rows.map((row) => [row.what, row] as const))('%s', (_what, row) => {
    const claim = row.claim ?? claimOf();
    const fails = (path: MatchPath): readonly VolumeCheck[] => matchVolume(row.volume, claim, path).failed;
    expect({ search: fails(search), named: fails(named), scheduler: fails(scheduler) }).toEqual({
      search: row.search ? [row.check] : [],
      named: row.named ? [row.check] : [],
      scheduler: row.scheduler ? [row.check] : [],
    });
  });
});

describe('matchVolume', () => {
  it('takes what is not set for the default', () => {
    const claim = claimOf({ volumeMode: 'Filesystem', volumeAttributesClassName: '', storageClassName: '' });
    const volume: Volume = { ...volumeOf(), spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '10Gi' } } };
    expect(matchVolume(volume, claim, search).failed).toEqual([]);
  });

  it('lets the old annotation beat the class on either side', () => {
    const annotations = { 'volume.beta.kubernetes.io/storage-class': 'slow' };
    expect(matchVolume(volumeOf({}, { annotations }), claimOf(), search).failed).toEqual(['class']);
    expect(matchVolume(volumeOf({}, { annotations }), claimOf({}, { annotations }), search).failed).toEqual([]);
    expect(
      matchVolume(
        volumeOf({ storageClassName: '' }),
        claimOf({}, { annotations: { 'volume.beta.kubernetes.io/storage-class': '' } }),
        search,
      ).failed,
    ).toEqual([]);
  });

  it('compares whole bytes where the claim names the volume, and exact quantities otherwise', () => {
    const claim = claimOf({ resources: { requests: { storage: '1500m' } } });
    const volume = volumeOf({ capacity: { storage: '1200m' } });
    expect(matchVolume(volume, claim, named).failed).toEqual([]);
    expect(matchVolume(volume, claim, search).failed).toEqual(['capacity']);
  });

  it('finds that no access mode implies another', () => {
    expect(
      matchVolume(
        volumeOf({ accessModes: ['ReadWriteOnce', 'ReadWriteMany'] }),
        claimOf({ accessModes: ['ReadWriteOncePod'] }),
        search,
      ).failed,
    ).toEqual(['accessModes']);
  });

  it('tells every predicate that fails', () => {
    expect(
      matchVolume(
        volumeOf({ ...others, capacity: { storage: '1Gi' }, volumeMode: 'Block' }, {}, 'Bound'),
        claimOf(),
        search,
      ).failed,
    ).toEqual(['claimed', 'volumeMode', 'capacity']);
  });
});

describe('reservationOf', () => {
  it('knows whose a volume is', () => {
    expect(reservationOf(volumeOf(), claimOf())).toBe('none');
    expect(reservationOf(volumeOf({ claimRef: {} }), claimOf())).toBe('none');
    expect(reservationOf(volumeOf(reserved), claimOf())).toBe('this');
    expect(reservationOf(volumeOf({ claimRef: { namespace: 'shop', name: 'data', uid: 'u1' } }), claimOf())).toBe(
      'this',
    );
    expect(reservationOf(volumeOf({ claimRef: { namespace: 'other', name: 'data' } }), claimOf())).toBe('other');
  });
});

describe('chooseVolume', () => {
  const sized = (name: string, storage: string, spec: Spec<Volume> = {}): Volume =>
    volumeOf({ capacity: { storage }, ...spec }, { name });
  const nameOf = (volume: Volume | undefined): string | undefined => volume?.metadata.name;

  it('takes the smallest that fits', () => {
    expect(
      nameOf(chooseVolume([sized('large', '50Gi'), sized('tiny', '1Gi'), sized('right', '20Gi')], claimOf(), search)),
    ).toBe('right');
  });

  it('prefers few access modes over a small size, and even over a reservation', () => {
    const several = { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] };
    expect(nameOf(chooseVolume([sized('small', '10Gi', several), sized('single', '100Gi')], claimOf(), search))).toBe(
      'single',
    );
    expect(
      nameOf(
        chooseVolume([sized('mine', '10Gi', { ...several, ...reserved }), sized('single', '100Gi')], claimOf(), search),
      ),
    ).toBe('single');
  });

  it('takes the reserved one among its equals, whatever its size', () => {
    expect(nameOf(chooseVolume([sized('small', '10Gi'), sized('mine', '100Gi', reserved)], claimOf(), search))).toBe(
      'mine',
    );
  });

  it('leaves free volumes to the scheduler while the claim waits for a pod', () => {
    expect(chooseVolume([sized('small', '10Gi')], claimOf(), search, { isDelayed: true })).toBeUndefined();
    expect(
      nameOf(
        chooseVolume([sized('small', '10Gi'), sized('mine', '10Gi', reserved)], claimOf(), search, { isDelayed: true }),
      ),
    ).toBe('mine');
  });

  it('takes the smallest on a node whatever its modes, but not one that another claim of the pod has', () => {
    const volumes = [
      sized('small', '10Gi', { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] }),
      sized('single', '100Gi'),
    ];
    expect(nameOf(chooseVolume(volumes, claimOf(), scheduler))).toBe('small');
    expect(nameOf(chooseVolume(volumes, claimOf(), scheduler, { taken: new Set(['small']) }))).toBe('single');
  });

  it('takes nothing on a node that the reserved volume cannot be used on', () => {
    expect(
      chooseVolume(
        [sized('mine', '10Gi', { ...reserved, nodeAffinity: elsewhere }), sized('free', '10Gi')],
        claimOf(),
        scheduler,
      ),
    ).toBeUndefined();
  });
});
