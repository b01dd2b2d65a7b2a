import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';
import type { Kind, Pod } from '../../kube/kinds.ts';
import type { Fix, Risk } from '../../report/report.ts';
import { makerOf } from '../claim/claim-template.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import { ephemeralVolumeOf, isFinished, nextHolderWords, podNames } from './claim-holders.ts';
import { volumeAtRisk } from './data-first.ts';

type Owner = NonNullable<ReturnType<typeof ownerOf>>;

/** Owners that would recreate a deleted pod, and can be set to run none. */
const scalable: readonly Kind[] = ['Deployment', 'StatefulSet'];

export function deletePodsCommand(c: PresentClaim, pods: readonly Pod[]): string {
  const names = pods.slice(0, 20).map((pod) => shellWord(pod.metadata.name));
  return `kubectl ${inNamespace(c.namespace)}delete pod ${names.join(' ')}`;
}

/** Ends what holds the claim, for good: its owner is scaled down, since it would recreate the pod. */
export function releaseFix(c: PresentClaim, pods: readonly Pod[], note = ''): Fix | undefined {
  if (pods.length === 0) return undefined;
  const volume = volumeAtRisk(c);
  const condition = volume ? ', if the data is not needed' : '';
  const next = nextHolderWords(c);
  const goes = next === '' ? 'The claim then goes' : 'The pods then no longer hold the claim';
  const after = volume ? `${goes}, and its volume goes with the data.` : `${goes}${keptWords(c)}.`;
  const { words, commands } = stopWords(c, pods);
  return steps(`${words}${condition}. ${after}${next}${note}`, commands, volume ? 'data-loss' : riskOf(pods));
}

/** Pods that have ended serve nothing. */
function riskOf(pods: readonly Pod[]): Risk {
  return pods.every(isFinished) ? 'safe' : 'disruptive';
}

/** How the data fares where it is not lost; completes a sentence. */
function keptWords(c: PresentClaim): string {
  if (c.volumeName === '') return '; it has no volume, so no data is lost';
  return c.volume?.state === 'found' ? `; policy Retain keeps pv/${c.volumeName} and the data` : '';
}

interface Stop {
  readonly words: string;
  readonly commands: readonly string[];
}

function stopWords(c: PresentClaim, pods: readonly Pod[]): Stop {
  const maker = makerOf(c);
  const replaced = pods.filter((pod) => maker?.pod === pod.metadata.name);
  const owners = ownersToScale(pods.filter((pod) => !replaced.includes(pod)));
  const deleted = pods.filter((pod) => replaced.includes(pod) || !owners.has(keyOf(ownerOf(pod))));
  const bare = deleted.filter((pod) => ownerOf(pod) === undefined);
  const scaled = [...owners.values()].map(({ kind, name }) => `${kind.toLowerCase()}/${name}`).join(', ');
  const returns = maker && replaced.length > 0 ? `, which statefulset/${maker.set} recreates with an empty volume` : '';
  const parts = [
    ...(owners.size > 0 ? [`scale ${scaled} to 0`] : []),
    ...(deleted.length > 0 ? [`delete ${podNames(deleted)}${returns}`] : []),
  ].join(' and ');
  return {
    words: parts.charAt(0).toUpperCase() + parts.slice(1),
    commands: [
      ...[...owners.values()].map((owner) => scaleCommand(c.namespace, owner, '0')),
      ...bare.slice(0, 20).map((pod) => saveCommand(pod)),
      ...(deleted.length > 0 ? [deletePodsCommand(c, deleted)] : []),
    ],
  };
}

export function scaleCommand(namespace: string, { kind, name }: Owner, replicas: string): string {
  return kubectl('scale', { kind: kind as Kind, metadata: { namespace, name } }, `--replicas=${replicas}`);
}

/** The owners of pods that have not ended, each once. */
function ownersToScale(pods: readonly Pod[]): ReadonlyMap<string, Owner> {
  const owners = new Map<string, Owner>();
  for (const pod of pods) {
    const owner = isFinished(pod) ? undefined : ownerOf(pod);
    if (owner && scalable.some((kind) => kind === owner.kind)) owners.set(keyOf(owner), owner);
  }
  return owners;
}

function keyOf(owner: Owner | undefined): string {
  return `${owner?.kind ?? ''}/${owner?.name ?? ''}`;
}

/** The claim of an ephemeral volume lives and dies with its pod, which recreates it from its own template. */
export function ephemeralFix(c: PresentClaim, pod: Pod): Fix | undefined {
  const volume = ephemeralVolumeOf(c, pod);
  if (volume === undefined) return undefined;
  const owner = ownerOf(pod);
  const { name } = pod.metadata;
  const place = owner ? `${owner.kind.toLowerCase()}/${owner.name}` : `pod/${name}`;
  const restart = owner
    ? `Delete pod/${name}, not the claim: ${place} recreates the pod, with a new and empty claim.`
    : `Recreate pod/${name}, not the claim: the pod has no owner, so it is saved and created again, with a new and empty claim.`;
  return steps(
    `${restart} To change its class or size, edit the template of ephemeral volume "${volume}" in ` +
      `${owner ? place : 'the saved file'} first.`,
    restartPodCommands(pod),
    'disruptive',
  );
}
