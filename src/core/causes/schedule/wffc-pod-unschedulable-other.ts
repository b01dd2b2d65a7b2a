import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { describeNodeSelector } from '../../kube/selectors.ts';
import { storageRefusalOfScaleUp } from '../../facts/pod/autoscaler.ts';
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
import { podRule } from '../lib/rule.ts';
import { isUnderstood, reasonsLike, storageTexts } from '../../facts/pod/scheduling-message.ts';
import { placedVolumes } from '../../facts/volume/volume-reach.ts';

/** Refusals of a new node that other labels on it would end. */
const placeTexts = [storageTexts.nodeAffinity, storageTexts.zone, storageTexts.nothingToBind];

/** G3: the pod has a trouble of its own, and the claim merely waits for the pod. */
export const wffcPodUnschedulableOther = podRule({
  cause: 'wffc-pod-unschedulable-other',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    if (p.isScheduled || (p.pod.spec?.schedulingGates ?? []).length > 0) return undefined;
    const message = p.schedulingMessage;
    // Words that may mean a pool of volumes mean something else where no claim waits for one.
    const claims = delayedClaims(p).map((claim) => `pvc/${claim.name}`);
    const isVague = claims.length === 0 && reasonsLike(message, storageTexts.poolSpace).length > 0;
    if (message?.reasons.some((reason) => reason.isStorage && !(isVague && storageTexts.poolSpace.test(reason.text))))
      return undefined;
    if (!message && p.ageSeconds < 30) return undefined;
    const fits = fitNodes(p);
    const isProven = fits.complete && fits.items.length > 0 && fits.items.every(({ refusal }) => refusal);
    if (!message && !isProven) return undefined;
    const { name, namespace } = p.pod.metadata;
    const scheduler = p.pod.spec?.schedulerName;
    const isClear = !message || (isUnderstood(message) && !isVague);
    // A group of nodes that is empty so far could take the pod, were it not for the volume.
    const scaleUp = isClear ? storageRefusalOfScaleUp(p) : undefined;
    const said = [...schedulerSaid(p), ...(scaleUp ? [eventSaid(p.pod, scaleUp.event)] : [])];
    const refusals = new Map(refusalEvidence(fits.items).map((line) => [JSON.stringify(line), line]));
    const evidence = [...said, ...refusals.values()];
    const [first, ...rest] = evidence;
    if (!first) return undefined;
    const why = reasonText(p, fits, isProven);
    const waiting =
      claims.length > 0 ? `; ${claims.join(', ')} ${claims.length > 1 ? 'wait' : 'waits'} for the pod` : '';
    return {
      confidence: scaleUp ? 'likely' : isClear ? 'certain' : 'possible',
      about: aboutPod(p),
      summary: scaleUp
        ? `pod/${name} fits on no node that there is: ${why}; and the autoscaler adds none, with a volume among its reasons: ${tellReasons(scaleUp.reasons)}${waiting}`
        : isClear
          ? `pod/${name} fits on no node, and storage is not the reason: ${why}${waiting}`
          : `scheduler ${scheduler ?? ''} finds no node for pod/${name} and says only: ${why}${waiting}`,
      evidence: [
        first,
        ...rest,
        ...(scaleUp ? placesOf(p).map(({ volume, place }) => field(volume, 'spec.nodeAffinity', place)) : []),
      ],
      fix: [
        ...(scaleUp?.reasons.some(({ text }) => placeTexts.some((pattern) => pattern.test(text)))
          ? [templateFix(p)]
          : []),
        ...(fits.items.some(({ refusal }) => refusal?.filter === 'unschedulable')
          ? [
              fix(
                'open a cordoned node again, if its work is done',
                `kubectl uncordon ${shellWord(fits.items.find(({ refusal }) => refusal?.filter === 'unschedulable')?.node.metadata.name ?? '')}`,
              ),
            ]
          : []),
        ...(fits.items.some(({ refusal }) => refusal?.filter === 'taint')
          ? [
              fix(
                'look at the taints, and give the pod a toleration, or take the taint off a node that shall run it',
                `kubectl get nodes -o custom-columns='NODE:.metadata.name,TAINTS:.spec.taints'`,
              ),
            ]
          : []),
        fix(
          isClear
            ? 'see what the pod asks for, and make it fit, or add a node that takes it; its claims follow by themselves'
            : 'read the log of that scheduler: its words may hide a lack of storage',
          `kubectl ${inNamespace(namespace)}describe pod ${shellWord(name)}`,
        ),
      ],
    };
  },
});

/** Where the volumes of the pod can be used, as far as they are bound to a place. */
function placesOf(p: PodCase): { readonly volume: Volume; readonly place: string }[] {
  return placedVolumes(p).flatMap(({ volume }) =>
    volume.spec?.nodeAffinity?.required
      ? [{ volume, place: describeNodeSelector(volume.spec.nodeAffinity.required) }]
      : [],
  );
}

/** Of a group without nodes the autoscaler knows only what its template says. */
function templateFix(p: PodCase): Fix {
  const places = [...new Set(placesOf(p).map(({ place }) => place))];
  return fix(
    `give the template of the node group that shall take the pod the labels that its volumes want${places.length > 0 ? ` (${places.join('; ')})` : ''}, or add a node there by hand: of a group without nodes the autoscaler knows only the template`,
  );
}

function reasonText(p: PodCase, fits: NodeFits, isProven: boolean): string {
  const told = tellRefusals(fits.items);
  const said = tellReasons(p.schedulingMessage?.reasons ?? []);
  if (isProven || said === '') return told || 'no node fits';
  return told ? `${said} (${told})` : said;
}
