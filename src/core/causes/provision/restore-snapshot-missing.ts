import { nearestName } from '../../kube/names.ts';
import type { Confidence, Fix } from '../../report/report.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, fix } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { recreateClaim, sourceChange } from '../lib/remake-claim.ts';
import { claimText } from '../lib/sentence.ts';
import { lastRefusal, sourceEvidence } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { adoptSnapshot, useOtherSnapshot } from './other-snapshot.ts';
import { restoreFailureOf } from './restore-source.ts';
import type { SnapshotContent } from './restore-source.ts';
import { restoreTexts } from '../lib/driver-error/senses/kubernetes.ts';
import { noSnapshotKindTexts } from '../lib/driver-error/sentences/provisioner.ts';

/**
 * The snapshot does not exist: misspelt, in another namespace, deleted, or the snapshot API itself is not installed.
 */
export const restoreSnapshotMissing = claimRule({
  cause: 'restore-snapshot-missing',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = restoreFailureOf(c);
    if (failure?.check !== 'missing') return undefined;
    const { source, confidence } = failure;
    const said = lastRefusal(c, restoreTexts.missing);
    return {
      confidence,
      evidence: [
        sourceEvidence(c, source),
        ...(confidence !== 'certain' ? [] : [absent('VolumeSnapshot', source.name, source.namespace)]),
        ...saidOnClaim(c, said),
      ],
      ...(isApiAbsent(c, source, said) ? tellMissingApi(c, source) : tellMissingSnapshot(c, source, confidence)),
    };
  },
});

type Telling = Pick<Explanation, 'summary' | 'fix'>;

function isApiAbsent(c: PresentClaim, source: DataSource, said: EventMatch | undefined): boolean {
  return (
    c.ask.graph.coverage.of('VolumeSnapshot', { namespace: source.namespace }).state === 'absentApi' ||
    noSnapshotKindTexts.test(said?.match[2] ?? '')
  );
}

function tellMissingApi(c: PresentClaim, source: DataSource): Telling {
  return {
    summary: `${claimText(c)} is to be restored from VolumeSnapshot "${source.name}", and this cluster has no snapshot API.`,
    fix: [
      fix(
        'Install the snapshot CRDs and the snapshot controller (kubernetes-csi/external-snapshotter, ' +
          'client/config/crd and deploy/kubernetes/snapshot-controller). Then recreate the VolumeSnapshot ' +
          'for the snapshot on the storage: the claim continues automatically.',
      ),
    ],
  };
}

function tellMissingSnapshot(c: PresentClaim, source: DataSource, confidence: Confidence): Telling {
  return {
    summary:
      confidence === 'possible'
        ? `${claimText(c)} is to be restored from VolumeSnapshot "${source.name}", and nothing that was read shows that it exists.`
        : `VolumeSnapshot "${source.name}", from which ${claimText(c)} is to be restored, ` +
          `${confidence === 'certain' ? 'does not exist' : 'was not found by the provisioner'} in namespace ` +
          `${source.namespace}.${hintText(c, source, confidence)}`,
    fix: advise(c, source),
  };
}

/** Where the data is still known to be on the storage, that snapshot comes first. */
function advise(c: PresentClaim, source: DataSource): Fix[] {
  const content = contentOf(c, source);
  return [
    ...(content ? adoptSnapshot(c, source, content) : []),
    useOtherSnapshot(c, source),
    recreateClaim(
      c,
      'without the data source, if the data comes another way (a backup tool, the application itself)',
      sourceChange(c, null),
      'The new volume is empty.',
    ),
  ];
}

/**
 * A content that was retained when the snapshot was deleted, or that belongs to the snapshot of that name in another
 * namespace.
 */
function contentOf(c: PresentClaim, source: DataSource): SnapshotContent | undefined {
  const contents = c.ask
    .seen('VolumeSnapshotContent')
    .filter(
      ({ metadata, spec }) => metadata.deletionTimestamp === undefined && spec?.volumeSnapshotRef?.name === source.name,
    );
  const own = contents.find(({ spec }) => spec?.volumeSnapshotRef?.namespace === source.namespace);
  if (own) return own;
  const elsewhere = c.ask
    .seen('VolumeSnapshot')
    .filter(({ metadata, status }) => metadata.name === source.name && status?.boundVolumeSnapshotContentName);
  const name = elsewhere.length === 1 ? elsewhere[0]?.status?.boundVolumeSnapshotContentName : undefined;
  const bound = name === undefined ? undefined : c.ask.get('VolumeSnapshotContent', undefined, name);
  return bound?.state === 'found' ? bound.object : undefined;
}

/** Where the snapshot probably is, or which one was probably intended. */
function hintText(c: PresentClaim, source: DataSource, confidence: Confidence): string {
  const listed = confidence === 'certain' ? c.ask.list('VolumeSnapshot', source.namespace).items : [];
  const known = [...listed, ...c.ask.seen('VolumeSnapshot')].map(({ metadata }) => metadata);
  const elsewhere = known.find(({ name, namespace }) => name === source.name && namespace !== source.namespace);
  if (elsewhere?.namespace)
    return ` A snapshot of that name exists in namespace ${elsewhere.namespace}, but a claim is restored from its own namespace.`;
  const near = nearestName(
    source.name,
    known.filter(({ namespace }) => namespace === source.namespace).map(({ name }) => name),
  );
  return near ? ` The closest match is "${near}".` : '';
}
