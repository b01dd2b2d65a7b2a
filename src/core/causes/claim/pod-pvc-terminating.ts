import type { Claim, Pod, Volume } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { isOthersClaim } from '../../facts/pod/pod-case.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { podRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { kubectl, patchCommand, saveCommand, steps } from '../lib/steps.ts';

const graceMs = 30_000;

/** The scheduler never gives a new pod a claim that is being deleted (VolumeBinding PreFilter). */
export const podPvcTerminating = podRule({
  cause: 'pod-pvc-terminating',
  stage: 'claim',
  severity: 'blocking',
  explain(p) {
    const c = p.isScheduled ? undefined : terminatingClaim(p);
    if (!c?.claim) return undefined;
    const { finalizers = [], deletionTimestamp } = c.claim.metadata;
    const holders = otherUsers(c, p.pod);
    // Without a user it is gone in a moment, and may be recreated.
    if (holders.length === 0 && p.now - (parseTime(deletionTimestamp) ?? 0) < graceMs) return undefined;
    return {
      about: `${c.namespace}/${c.name}`,
      summary:
        `pod/${p.pod.metadata.name} uses ${claimText(c)}, which is being deleted${holderText(c.claim, holders)}. ` +
        `A claim in deletion is never given to a new pod.${policyText(c)}`,
      evidence: [
        field(c.claim, 'metadata.deletionTimestamp', deletionTimestamp),
        field(c.claim, 'metadata.finalizers', finalizers.join(', ') || 'none'),
        ...holders.map((pod) => note(pod, `uses the claim on ${pod.spec?.nodeName ?? ''}`)),
        ...policyEvidence(c),
        ...schedulerEvidence(p),
      ],
      fix: advise(c, c.claim, holders),
    };
  },
});

function terminatingClaim(p: PodCase): ClaimCase | undefined {
  return p.claims.find(({ claim }) => claim?.metadata.deletionTimestamp !== undefined && !isOthersClaim(p.pod, claim));
}

function otherUsers(c: ClaimCase, { metadata: { uid } }: Pod): readonly Pod[] {
  return c.consumers.items.filter((pod) => pod.spec?.nodeName && pod.metadata.uid !== uid);
}

function holderText({ metadata: { finalizers = [] } }: Claim, holders: readonly Pod[]): string {
  const names = holders.length > 0 ? holders.map((pod) => `pod/${pod.metadata.name}`) : finalizers;
  return names.length > 0 ? ` and held by ${names.join(', ')}` : '';
}

function schedulerEvidence({ pod, schedulingMessage }: PodCase): Evidence[] {
  const isSaid = schedulingMessage?.reasons.some(({ text }) => /is being deleted/i.test(text));
  return isSaid ? [field(pod, 'status.conditions[PodScheduled].message', schedulingMessage?.raw)] : [];
}

function volumeOf(c: ClaimCase): Volume | undefined {
  return c.volume?.state === 'found' ? c.volume.object : undefined;
}

function policyEvidence(c: ClaimCase): Evidence[] {
  const volume = volumeOf(c);
  return volume?.spec?.persistentVolumeReclaimPolicy ? [field(volume, 'spec.persistentVolumeReclaimPolicy')] : [];
}

function policyText(c: ClaimCase): string {
  const policy = volumeOf(c)?.spec?.persistentVolumeReclaimPolicy;
  return policy === 'Delete' ? ' Its volume has policy Delete: the data goes with the claim.' : '';
}

function advise(c: ClaimCase, claim: Claim, holders: readonly Pod[]): Fix[] {
  return c.volumeName === '' ? [recreateEmpty(c, claim, holders)] : [rescue(c, claim, holders), giveUp(c, holders)];
}

/** A deletion cannot be taken back: the volume is kept, and a new claim of the same name binds it again. */
function rescue(c: ClaimCase, claim: Claim, holders: readonly Pod[]): Fix {
  const volume: Volume = { kind: 'PersistentVolume', metadata: { name: c.volumeName } };
  const held = holders.length > 0 ? `, stop ${namesOf(holders)}` : '';
  return steps(
    `Keep the data${held}, let the deletion end, and recreate the claim on the same ` +
      `volume${bareText(holders)}. The new claim binds within 15 seconds, and the pods then ` +
      'start with its data.',
    [
      patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
      saveCommand(claim),
      ...holders.flatMap((pod) => stopCommands(pod)),
      awaitDeletion(c),
      patchCommand(volume, { spec: { claimRef: { uid: null, resourceVersion: null } } }),
      createCommand(claim),
      ...holders.flatMap(startAgain),
    ],
    holders.length > 0 ? 'disruptive' : 'safe',
  );
}

function recreateEmpty(c: ClaimCase, claim: Claim, holders: readonly Pod[]): Fix {
  return steps(
    `Let the deletion end and recreate the claim${bareText(holders)}: it was never bound, so it holds no data.`,
    [
      saveCommand(claim),
      ...holders.flatMap((pod) => stopCommands(pod)),
      awaitDeletion(c),
      createCommand(claim),
      ...holders.flatMap(startAgain),
    ],
    holders.length > 0 ? 'disruptive' : 'safe',
  );
}

function giveUp(c: ClaimCase, holders: readonly Pod[]): Fix {
  const stop = holders.flatMap((pod) => stopCommands(pod));
  return steps(
    'If the data is not needed, ' +
      `${holders.length > 0 ? `delete ${namesOf(holders)}` : 'let the deletion end'}. ` +
      `${lossText(c)} A claim created anew under this name is empty.`,
    [...stop, awaitDeletion(c)],
    'data-loss',
  );
}

function lossText(c: ClaimCase): string {
  switch (volumeOf(c)?.spec?.persistentVolumeReclaimPolicy) {
    case 'Delete':
      return 'The volume is deleted with the claim, and the data with it.';
    case 'Retain':
      return `pv/${c.volumeName} is kept (policy Retain), with the data.`;
    default:
      return 'The volume goes with the claim if its policy is Delete.';
  }
}

/** Pods without an owner do not come back. */
function bareText(holders: readonly Pod[]): string {
  const bare = holders.filter((pod) => !ownerOf(pod));
  return bare.length === 0 ? '' : `, and ${namesOf(bare)}, which ${bare.length === 1 ? 'has' : 'have'} no owner`;
}

function startAgain(pod: Pod): string[] {
  return ownerOf(pod) ? [] : restartPodCommands(pod).slice(-1);
}

function namesOf(pods: readonly Pod[]): string {
  return pods.map(({ metadata }) => `pod/${metadata.name}`).join(', ');
}

/** The replacement of an owned pod waits for the claim like every new pod, and so does not hold it. */
function stopCommands(pod: Pod): string[] {
  return [...(ownerOf(pod) ? [] : [saveCommand(pod)]), kubectl('delete', pod)];
}

function awaitDeletion({ namespace, name }: ClaimCase): string {
  return `kubectl ${inNamespace(namespace)}wait --for=delete ${shellWord(`pvc/${name}`)} --timeout=5m`;
}

function createCommand(claim: Claim): string {
  const inDeletion = { metadata: { deletionTimestamp: null, deletionGracePeriodSeconds: null } };
  return recreateCommands(claim, inDeletion)[2];
}
