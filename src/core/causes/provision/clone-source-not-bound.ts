import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { applyCommand, steps } from '../lib/steps.ts';
import { cloneFailureOf, cloneRefusal, otherSourcesText } from './clone-source.ts';
import { explainTold, sourceEvidence } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { recreateClaim, sourceChange } from '../lib/remake-claim.ts';

const freshSeconds = 60;

/** external-provisioner getPVCSource: only a claim in phase Bound can be cloned. */
export const cloneSourceNotBound = claimRule({
  cause: 'clone-source-not-bound',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = cloneFailureOf(c);
    if (failure?.check !== 'notBound') return undefined;
    const { source } = failure;
    if (failure.by === 'objects') return explainObjects(c, source, failure.original);
    return explainTold(c, failure, {
      summary: `${claimText(c)} waits for its source: the provisioner reports that pvc/${source.name} is not bound.`,
      fix: [repairSource(source)],
    });
  },
});

function explainObjects(c: PresentClaim, source: DataSource, original: PresentClaim): Explanation {
  const isSelf = source.name === c.name && source.namespace === c.namespace;
  return {
    severity: original.ageSeconds < freshSeconds && !isSelf ? 'info' : 'blocking',
    summary: isSelf ? `${claimText(c)} names itself as the claim to be cloned.` : summaryOf(c, source, original),
    evidence: [sourceEvidence(c, source), field(original.claim, 'status.phase'), ...cloneRefusal(c, 'notBound')],
    fix: isSelf ? [useOther(c, source)] : adviseOther(source, original),
  };
}

function summaryOf(c: PresentClaim, source: DataSource, original: PresentClaim): string {
  const phase = original.claim.status?.phase ?? 'not set';
  const why = waitsForPod(original) ? ' That claim waits for the first pod that uses it (WaitForFirstConsumer).' : '';
  return `${claimText(c)} waits for its source: pvc/${source.name} is ${phase}, and only a bound claim can be cloned.${why}`;
}

function waitsForPod(original: PresentClaim): boolean {
  return (
    original.isDelayed === true &&
    original.selectedNode === undefined &&
    original.consumers.complete &&
    original.consumers.items.length === 0
  );
}

function useOther(c: PresentClaim, source: DataSource): Fix {
  return recreateClaim(
    c,
    `from another claim (PLACEHOLDER_SOURCE${otherSourcesText(c, source.name)})`,
    sourceChange(c, { name: 'PLACEHOLDER_SOURCE' }),
  );
}

function adviseOther(source: DataSource, original: PresentClaim): Fix[] {
  return waitsForPod(original) ? [startPod(source)] : [repairSource(source)];
}

/** Any pod brings the claim to a node; one that only mounts it will do. */
function startPod({ namespace, name }: DataSource): Fix {
  const pod = `bind-${name}`.slice(0, 63).replace(/[^a-z0-9]+$/, '');
  const mounts = [{ name: 'data', mountPath: '/data' }];
  const manifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: pod, namespace },
    spec: {
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: 'busybox', command: ['true'], volumeMounts: mounts }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
    },
  };
  return steps(
    `Start the pod that is to use pvc/${name}, or this one, which ends at once. ` +
      'The source is then provisioned and bound, and the clone continues automatically.',
    [applyCommand(manifest)],
  );
}

/** The source is a claim of its own, with a cause of its own. */
function repairSource({ namespace, name }: DataSource): Fix {
  return fix(
    `Repair pvc/${name} first: this explains why it is not bound, and what to do. The clone then continues automatically.`,
    `kubectl csi why pvc/${shellWord(name)} -n ${shellWord(namespace)}`,
  );
}
