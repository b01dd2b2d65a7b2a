import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { growthSince, isExpanding, isModifying, modifySince } from '../../journey/claim-growth.ts';
import { parseTime } from '../../kube/time.ts';
import type { RelatedVolume } from './related-objects.ts';
import type { Fact, FactBook } from './fact.ts';
import type { Step } from './reckoning.ts';

const attachController = 'the attach-detach controller';
/** Facts from different components may be this far out of order. */
const toleranceMs = 2000;

/** The steps of a claim, with the first pod that uses it, in the order in which they happened or will happen. */
export function stepsOfClaim(related: RelatedVolume, book: FactBook): Step[] {
  const { claim, pods } = related;
  if (!claim) return [];
  const changes = changeSteps(related);
  const ofPod = [...podSteps(related, book), ...changes];
  // The resizer waits for no pod.
  const idle = pods.length === 0 && changes.length > 0 ? [] : [idleStep(related, book)];
  const bind = bindStep(claim, book);
  if (isStatic(related, claim, book))
    return claim.isDelayed === true && !claim.isBound
      ? [...idle, ...ofPod.slice(0, 1), bind, ...ofPod.slice(1)]
      : [bind, ...idle, ...ofPod];
  const provision = provisionStep(related, claim, book);
  if (claim.isDelayed !== true) return [provision, bind, ...idle, ...ofPod];
  const choose = chooseNodeStep(related, claim, book);
  if (isSecondPod(related, book))
    return [{ ...choose, note: 'for an earlier pod' }, provision, bind, ...idle, ...ofPod];
  return pods.length > 0 || !claim.isBound
    ? [...idle, choose, provision, bind, ...ofPod]
    : [choose, provision, bind, ...idle, ...ofPod];
}

function volumeCreation({ volume }: RelatedVolume, book: FactBook): Fact | undefined {
  return volume?.state === 'found' ? book.get(`created/PersistentVolume/${volume.object.metadata.name}`) : undefined;
}

function podCreation({ pods: [first] }: RelatedVolume, book: FactBook): Fact | undefined {
  return first && book.get(`created/Pod/${first.pod.metadata.name}`);
}

function isStatic(related: RelatedVolume, claim: ClaimCase, book: FactBook): boolean {
  return claim.isStatic === true && volumeCreation(related, book)?.component !== 'provisioner';
}

/** The volume was created for a pod that is gone: the present one was created later. */
function isSecondPod(related: RelatedVolume, book: FactBook): boolean {
  const volume = volumeCreation(related, book);
  const pod = podCreation(related, book);
  return volume !== undefined && pod !== undefined && pod.at > volume.at + toleranceMs;
}

function idleStep(related: RelatedVolume, book: FactBook): Step {
  const pod = related.pods[0]?.pod;
  return {
    stage: pod ? 'before the pod' : 'no pod',
    waitsFor: pod ? `pod/${pod.metadata.name} to be created` : 'a pod that uses the claim',
    isDone: pod !== undefined,
    isIdle: true,
    end: podCreation(related, book),
  };
}

function provisionStep(related: RelatedVolume, claim: ClaimCase, book: FactBook): Step {
  return {
    stage: 'provision',
    waitsFor: provisionerText(related, claim),
    isDone: related.volume !== undefined,
    end: volumeCreation(related, book),
  };
}

function provisionerText({ driver }: RelatedVolume, claim: ClaimCase): string {
  if (driver !== undefined) return `the provisioner of ${driver}`;
  return claim.storageClass?.state === 'missing' ? `class ${claim.class.name} to exist` : 'a volume or a class';
}

function bindStep(claim: ClaimCase, book: FactBook): Step {
  return {
    stage: 'bind',
    waitsFor: 'the volume controller',
    isDone: claim.isBound,
    end: book.get(`bound/${claim.name}`) ?? book.get(`claim-status/${claim.name}`),
  };
}

function chooseNodeStep(related: RelatedVolume, claim: ClaimCase, book: FactBook): Step {
  return {
    stage: 'choose node',
    waitsFor: 'the scheduler',
    isDone: claim.selectedNode !== undefined || related.volume !== undefined,
    end: book.get(`node-selected/${claim.name}`),
  };
}

/** A claim that is being expanded or modified: the time before that is idle. */
function changeSteps({ claim, driver, pods }: RelatedVolume): Step[] {
  const stage = claim && changeOf(claim);
  if (!claim || stage === undefined) return [];
  const since = stage === 'expand' ? growthSince(claim) : modifySince(claim);
  const change: Step = { stage, waitsFor: `the resizer of ${driver ?? 'the driver'}`, isDone: false };
  if (since === undefined) return [change];
  const before: Step = {
    stage: pods.length > 0 ? 'in use' : 'no pod',
    waitsFor: 'no component',
    isDone: true,
    isIdle: true,
    end: { at: since, certainty: 'exact' },
  };
  return [before, change];
}

function changeOf(claim: ClaimCase): 'expand' | 'modify' | undefined {
  if (isExpanding(claim)) return 'expand';
  return isModifying(claim) ? 'modify' : undefined;
}

function podSteps(related: RelatedVolume, book: FactBook): Step[] {
  const pod = related.pods[0]?.pod;
  if (!pod) return [];
  const { name } = pod.metadata;
  const node = pod.spec?.nodeName;
  const isMounted = node !== undefined && hasMountedVolumes(pod);
  return [
    { stage: 'schedule', waitsFor: 'the scheduler', isDone: Boolean(node), end: book.get(`scheduled/${name}`) },
    attachStep(related, node, isMounted, book),
    {
      stage: 'mount',
      waitsFor: `the kubelet${node ? ` on ${node}` : ''}`,
      isDone: isMounted,
      end: book.get(`mounted/${name}`),
    },
  ];
}

function attachStep(related: RelatedVolume, node: string | undefined, isMounted: boolean, book: FactBook): Step {
  const { claim, driver, places } = related;
  const place = places.find((each) => each.node === node);
  const attachment = place?.attachment?.state === 'found' ? place.attachment.object : undefined;
  const isAttached = attachment?.status?.attached === true && attachment.metadata.deletionTimestamp === undefined;
  const requested = attachment && parseTime(attachment.metadata.creationTimestamp);
  return {
    stage: 'attach',
    waitsFor: attachment ? `the attacher of ${driver ?? 'the driver'}` : attachController,
    isDone: isAttached || isMounted,
    isUnneeded: Boolean(node) && claim?.isBound === true && place !== undefined && place.attachment === undefined,
    end: book.get(`attached/${claim?.volumeName ?? ''}/${node ?? ''}`),
    ...(requested !== undefined && { handedOver: { by: attachController, at: requested } }),
  };
}
