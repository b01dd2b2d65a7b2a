import type { Claim, Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { bindCompletedAnnotation } from '../../facts/claim/claim-annotations.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, shellWord } from '../../facts/evidence.ts';
import { reservationOf } from '../../facts/volume/volume-match.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { kubectl, patchCommand, steps } from '../lib/steps.ts';
import { claimRefField, reservedMatch, waitedFor } from './reserved-volume.ts';

const graceSeconds = 60;

/**
 * pv_controller bind() saves the volume first, then the claim; if the second write is refused or lost, the binding
 * stays half done.
 */
export const bindIncomplete = claimRule({
  cause: 'bind-incomplete',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    const volume = halfBoundVolume(c);
    if (!volume || waitedFor(c, volume) < graceSeconds) return undefined;
    return {
      confidence: volume.spec?.claimRef?.uid ? 'certain' : 'likely',
      summary:
        `pv/${volume.metadata.name} names ${claimText(c)} and fits it, but the binding was never written to the ` +
        `claim. The kube-controller-manager has to write it; a webhook or a quota may refuse that.${rivalText(c, volume)}`,
      evidence: evidenceOf(c, volume),
      fix: [finishBinding(c, volume), readLog(c)],
    };
  },
});

/** Another claim that names the volume: what it wrote is on it. */
function rivalOf(c: PresentClaim, { metadata }: Volume): Claim | undefined {
  return c.ask
    .seen('PersistentVolumeClaim')
    .find(({ spec, metadata: own }) => spec?.volumeName === metadata.name && own.uid !== c.claim.metadata.uid);
}

function rivalText(c: PresentClaim, volume: Volume): string {
  const rival = rivalOf(c, volume);
  if (!rival) return '';
  const phase = rival.status?.phase === 'Lost' ? ', which is Lost,' : '';
  return ` ${claimWords(rival)}${phase} names the same volume: check whose data is on it first.`;
}

function claimWords({ metadata: { name, namespace } }: Claim): string {
  return `pvc/${name} in namespace ${namespace ?? ''}`;
}

function halfBoundVolume(c: PresentClaim): Volume | undefined {
  const match = reservedMatch(c);
  if (match) return match.failed.length === 0 ? match.volume : undefined;
  return returnedVolume(c);
}

/** A Lost claim whose volume exists again is bound at the next sync. */
function returnedVolume(c: PresentClaim): Volume | undefined {
  const volume = c.isLost && c.volume?.state === 'found' ? c.volume.object : undefined;
  return volume && reservationOf(volume, c.claim) !== 'other' ? volume : undefined;
}

function evidenceOf(c: PresentClaim, volume: Volume): Explanation['evidence'] {
  const rival = rivalOf(c, volume);
  return [
    claimRefField(volume),
    field(volume, 'status.phase'),
    field(c.claim, 'spec.volumeName'),
    field(c.claim, 'status.phase'),
    ...(rival ? [field(rival, 'spec.volumeName')] : []),
    field(
      c.claim,
      `metadata.annotations[${bindCompletedAnnotation}]`,
      c.annotation(bindCompletedAnnotation) ?? 'not set',
    ),
  ];
}

/** The same write as the controller's: the API server either accepts it or names what refuses it. */
function finishBinding(c: PresentClaim, volume: Volume): Fix {
  const { name } = volume.metadata;
  const command =
    c.volumeName === ''
      ? patchCommand(c.claim, { spec: { volumeName: name } })
      : kubectl('annotate', c.claim, `retried-at=${Math.floor(c.now / 1000)} --overwrite`);
  const what = c.volumeName === '' ? `Write pv/${name} into the claim` : 'Change the claim';
  return steps(
    `${what} as the controller would. If the API server accepts it, the controller completes the binding ` +
      'within 15 seconds; if it refuses, its answer names the webhook or quota that has to be corrected.',
    [command],
  );
}

function readLog(c: PresentClaim): Fix {
  return steps(
    'If the claim stays Pending, read what the kube-controller-manager reports about it. ' +
      'A forbidden update means that its role system:controller:persistent-volume-binder was changed.',
    [
      `kubectl -n kube-system logs -l component=kube-controller-manager --tail=500 | grep -F -- ${shellWord(`${c.namespace}/${c.name}`)}`,
    ],
  );
}
