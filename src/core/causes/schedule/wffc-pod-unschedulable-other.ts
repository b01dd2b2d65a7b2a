import { claimNamesOf } from '../../graph/cluster-graph.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Confidence, Evidence, Fix } from '../../report/report.ts';
import { describeNodeSelector } from '../../kube/selectors.ts';
import { storageRefusalOfScaleUp } from '../../facts/pod/autoscaler.ts';
import type { ScaleUpRefusal } from '../../facts/pod/autoscaler.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { NodeFits } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import {
  aboutPod,
  delayedClaims,
  refusalEvidence,
  schedulerSaid,
  tellReasons,
  tellRefusals,
} from '../../facts/pod/pod-placement.ts';
import { isUnderstood, reasonsLike, storageTexts } from '../../facts/pod/scheduling-message.ts';
import { placedVolumes } from '../../facts/volume/volume-reach.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';

const settleSeconds = 30;
/** Refusals of a new node that other labels on it would end. */
const placeTexts = [storageTexts.nodeAffinity, storageTexts.zone, storageTexts.nothingToBind];

/** The pod cannot be scheduled for a reason other than storage, and its claims merely wait for the pod. */
export const wffcPodUnschedulableOther = podRule({
  cause: 'wffc-pod-unschedulable-other',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const unfit = findUnfit(p);
    const evidence = unfit && evidenceOf(p, unfit);
    if (!unfit || !evidence) return undefined;
    return {
      // Without a claim nothing of storage waits for the pod, as in mount-not-storage.
      ...(claimNamesOf(p.pod).length === 0 && { severity: 'info' as const }),
      confidence: confidenceOf(unfit),
      about: aboutPod(p),
      summary: `${reasonText(p, unfit)}${waitingText(unfit)}`,
      evidence,
      fix: adviceFor(p, unfit),
    };
  },
});

interface Unfit {
  /** Names of the claims that wait for the pod. */
  readonly claims: readonly string[];
  readonly fits: NodeFits;
  /** Every node refuses the pod by a constraint that was checked here. */
  readonly isProven: boolean;
  /** Nothing the scheduler says can mean storage. */
  readonly isClear: boolean;
  /** An empty node group could take the pod, were it not for a volume. */
  readonly scaleUp: ScaleUpRefusal | undefined;
}

function findUnfit(p: PodCase): Unfit | undefined {
  if (p.isScheduled || (p.pod.spec?.schedulingGates ?? []).length > 0) return undefined;
  const message = p.schedulingMessage;
  const claims = delayedClaims(p).map((claim) => `pvc/${claim.name}`);
  // Words about a pool may mean storage; where no claim waits for a volume they mean something else.
  const isVague = claims.length === 0 && reasonsLike(message, storageTexts.poolSpace).length > 0;
  if (message?.reasons.some((reason) => reason.isStorage && !(isVague && storageTexts.poolSpace.test(reason.text))))
    return undefined;
  if (!message && p.ageSeconds < settleSeconds) return undefined;
  const fits = fitNodes(p);
  const isProven = fits.complete && fits.items.length > 0 && fits.items.every(({ refusal }) => refusal);
  if (!message && !isProven) return undefined;
  const isClear = !message || (isUnderstood(message) && !isVague);
  return { claims, fits, isProven, isClear, scaleUp: isClear ? storageRefusalOfScaleUp(p) : undefined };
}

function confidenceOf({ scaleUp, isClear }: Unfit): Confidence {
  if (scaleUp) return 'likely';
  return isClear ? 'certain' : 'possible';
}

function reasonText(p: PodCase, unfit: Unfit): string {
  const { scaleUp, isClear } = unfit;
  const { name } = p.pod.metadata;
  const why = whyNoNode(p, unfit);
  if (scaleUp)
    return `pod/${name} fits on no node that there is: ${why}; and the autoscaler adds none, with a volume among its reasons: ${tellReasons(scaleUp.reasons)}`;
  if (isClear) return `pod/${name} fits on no node, and storage is not the reason: ${why}`;
  return `scheduler ${p.pod.spec?.schedulerName ?? ''} finds no node for pod/${name} and says only: ${why}`;
}

function whyNoNode(p: PodCase, { fits, isProven }: Unfit): string {
  const told = tellRefusals(fits.items);
  const said = tellReasons(p.schedulingMessage?.reasons ?? []);
  if (isProven || said === '') return told || 'no node fits';
  return told ? `${said} (${told})` : said;
}

function waitingText({ claims }: Unfit): string {
  if (claims.length === 0) return '';
  return `; ${claims.join(', ')} ${claims.length > 1 ? 'wait' : 'waits'} for the pod`;
}

function evidenceOf(p: PodCase, { fits, scaleUp }: Unfit): EvidenceList | undefined {
  const [first, ...rest] = [
    ...schedulerSaid(p),
    ...(scaleUp ? [eventSaid(p.pod, scaleUp.event)] : []),
    ...distinct(refusalEvidence(fits.items)),
  ];
  if (!first) return undefined;
  const places = scaleUp ? placesOf(p) : [];
  return [first, ...rest, ...places.map(({ volume, place }) => field(volume, 'spec.nodeAffinity', place))];
}

function distinct(lines: readonly Evidence[]): Evidence[] {
  return [...new Map(lines.map((line) => [JSON.stringify(line), line])).values()];
}

/** Where the volumes of the pod can be used, for those that are tied to a place. */
function placesOf(p: PodCase): { readonly volume: Volume; readonly place: string }[] {
  return placedVolumes(p).flatMap(({ volume }) => {
    const required = volume.spec?.nodeAffinity?.required;
    return required ? [{ volume, place: describeNodeSelector(required) }] : [];
  });
}

function adviceFor(p: PodCase, { fits, isClear, scaleUp }: Unfit): Fix[] {
  const { name, namespace } = p.pod.metadata;
  return [
    ...(scaleUp?.reasons.some(({ text }) => placeTexts.some((pattern) => pattern.test(text)))
      ? [labelTemplate(p)]
      : []),
    ...uncordon(fits),
    ...tolerateTaint(fits),
    fix(
      isClear
        ? 'see what the pod asks for, and make it fit, or add a node that takes it; its claims follow by themselves'
        : 'read the log of that scheduler: its words may hide a lack of storage',
      `kubectl ${inNamespace(namespace)}describe pod ${shellWord(name)}`,
    ),
  ];
}

function labelTemplate(p: PodCase): Fix {
  const places = [...new Set(placesOf(p).map(({ place }) => place))];
  return fix(
    `give the template of the node group that shall take the pod the labels that its volumes want${places.length > 0 ? ` (${places.join('; ')})` : ''}, or add a node there by hand: of a group without nodes the autoscaler knows only the template`,
  );
}

function uncordon(fits: NodeFits): Fix[] {
  const cordoned = fits.items.find(({ refusal }) => refusal?.filter === 'unschedulable');
  if (!cordoned) return [];
  return [
    fix(
      'open a cordoned node again, if its work is done',
      `kubectl uncordon ${shellWord(cordoned.node.metadata.name)}`,
    ),
  ];
}

function tolerateTaint(fits: NodeFits): Fix[] {
  if (!fits.items.some(({ refusal }) => refusal?.filter === 'taint')) return [];
  return [
    fix(
      'look at the taints, and give the pod a toleration, or take the taint off a node that shall run it',
      `kubectl get nodes -o custom-columns='NODE:.metadata.name,TAINTS:.spec.taints'`,
    ),
  ];
}
