import { nearestName } from '../../kube/names.ts';
import type { Confidence } from '../../report/report.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, fix, inNamespace } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { lastRefusal, sourceEvidence } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { remakeClaim } from './remake-claim.ts';
import { restoreFailureOf } from './restore-source.ts';
import { restoreTexts } from '../lib/driver-error/senses/kubernetes.ts';

/** The snapshot does not exist: misspelt, in another namespace, deleted, or the snapshot API itself is not installed. */
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
        ...(confidence === 'possible' ? [] : [absent('VolumeSnapshot', source.name, source.namespace)]),
        ...saidOnClaim(c, said),
      ],
      ...(isApiAbsent(c, source, said) ? tellMissingApi(source) : tellMissingSnapshot(c, source, confidence)),
    };
  },
});

type Telling = Pick<Explanation, 'summary' | 'fix'>;

function isApiAbsent(c: PresentClaim, source: DataSource, said: EventMatch | undefined): boolean {
  return (
    c.ask.graph.coverage.of('VolumeSnapshot', { namespace: source.namespace }).state === 'absentApi' ||
    /could not find the requested resource|no matches for kind/.test(said?.match[2] ?? '')
  );
}

function tellMissingApi(source: DataSource): Telling {
  return {
    summary: `the claim is to be restored from volumesnapshot/${source.name}, and this cluster has no snapshot API`,
    fix: [
      fix(
        'look for the snapshot CRDs, install them and the snapshot controller, then bring the snapshot back',
        'kubectl get crd volumesnapshots.snapshot.storage.k8s.io',
      ),
    ],
  };
}

function tellMissingSnapshot(c: PresentClaim, source: DataSource, confidence: Confidence): Telling {
  const hint = hintText(c, source, confidence);
  return {
    summary:
      confidence === 'possible'
        ? `the claim is to be restored from volumesnapshot/${source.name}, of which nothing is to be seen`
        : `volumesnapshot/${source.name}, from which the claim is to be restored, does not exist${hint}`,
    fix: [
      fix('look which snapshots there are', `kubectl ${inNamespace(source.namespace)}get volumesnapshot`),
      remakeClaim(c, 'from a snapshot that exists in the same namespace'),
    ],
  };
}

/** Where the snapshot was probably meant to be, or which one was probably meant. */
function hintText(c: PresentClaim, source: DataSource, confidence: Confidence): string {
  const listed = confidence === 'certain' ? c.ask.list('VolumeSnapshot', source.namespace).items : [];
  const known = [...listed, ...c.ask.seen('VolumeSnapshot')].map(({ metadata }) => metadata);
  const elsewhere = known.find(({ name, namespace }) => name === source.name && namespace !== source.namespace);
  if (elsewhere?.namespace)
    return `; there is one of that name in namespace ${elsewhere.namespace}, where it does not count`;
  const near = nearestName(
    source.name,
    known.filter(({ namespace }) => namespace === source.namespace).map(({ name }) => name),
  );
  return near ? `; did you mean ${near}?` : '';
}
