import type { Confidence } from '../../../report/report.ts';
import { nearestName } from '../../../kube/names.ts';
import { absent, fix, inNamespace } from '../../../facts/evidence.ts';
import type { PresentClaim } from '../../../facts/claim/claim-case.ts';
import { lastRefusal, saidBy, sourceEvidence } from './data-source.ts';
import type { DataSource, Outcome } from './data-source.ts';
import { remakeFix } from './remake.ts';
import { restoreTexts } from '../../lib/driver-error/senses/kubernetes.ts';

/** The snapshot is not there: misspelt, in another namespace, deleted, or the snapshot API itself is not installed. */
export function missingSnapshot(c: PresentClaim, source: DataSource, confidence: Confidence): Outcome {
  const said = lastRefusal(c, restoreTexts.missing);
  const isApiAbsent =
    c.ask.graph.coverage.of('VolumeSnapshot', { namespace: source.namespace }).state === 'absentApi' ||
    /could not find the requested resource|no matches for kind/.test(said?.match[2] ?? '');
  const evidence = [
    sourceEvidence(c, source),
    ...(confidence === 'possible' ? [] : [absent('VolumeSnapshot', source.name, source.namespace)]),
    ...saidBy(c, said),
  ] as const;
  if (isApiAbsent) {
    return {
      cause: 'restore-snapshot-missing',
      confidence,
      summary: `the claim is to be restored from volumesnapshot/${source.name}, and this cluster has no snapshot API`,
      evidence,
      fix: [
        fix(
          'look for the snapshot CRDs, install them and the snapshot controller, then bring the snapshot back',
          'kubectl get crd volumesnapshots.snapshot.storage.k8s.io',
        ),
      ],
    };
  }
  const known =
    confidence === 'certain'
      ? [...c.ask.list('VolumeSnapshot', source.namespace).items, ...c.ask.seen('VolumeSnapshot')]
      : c.ask.seen('VolumeSnapshot');
  const elsewhere = known.find(
    ({ metadata }) => metadata.name === source.name && metadata.namespace !== source.namespace,
  )?.metadata.namespace;
  const near = nearestName(
    source.name,
    known.filter(({ metadata }) => metadata.namespace === source.namespace).map(({ metadata }) => metadata.name),
  );
  const hint = elsewhere
    ? `; there is one of that name in namespace ${elsewhere}, where it does not count`
    : near
      ? `; did you mean ${near}?`
      : '';
  return {
    cause: 'restore-snapshot-missing',
    confidence,
    summary:
      confidence === 'possible'
        ? `the claim is to be restored from volumesnapshot/${source.name}, of which nothing is to be seen`
        : `volumesnapshot/${source.name}, from which the claim is to be restored, does not exist${hint}`,
    evidence,
    fix: [
      fix('look which snapshots there are', `kubectl ${inNamespace(source.namespace)}get volumesnapshot`),
      remakeFix(c, 'from a snapshot that exists in the same namespace'),
    ],
  };
}
