import type { Node, Volume } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { matchesTopologyTerms } from '../../kube/selectors.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, note, shellWord } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { NodeFits } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import {
  aboutPod,
  blames,
  delayedClaims,
  nameNodes,
  otherReasonsText,
  refusalEvidence,
  schedulerSaid,
  tellRefusals,
} from '../../facts/pod/pod-placement.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation, PodRule } from '../lib/rule.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { resolveClass } from '../../facts/class/storage-class.ts';
import { matchVolume, namesClaim, reservationOf } from '../../facts/volume/volume-match.ts';
import { describeReach } from '../../facts/volume/volume-reach.ts';
import { keepReservation, staleText } from '../bind/volume-taken.ts';
import { remakeClass } from '../provision/remake-class.ts';

const mostShown = 6;

/** Claims for which the scheduler finds nothing to bind: one sentence for three different faults (binder checkVolumeProvisions). */
function claimsWithout(p: PodCase): PresentClaim[] {
  if (p.isScheduled || blames(p, storageTexts.nothingToBind) === false) return [];
  return delayedClaims(p).filter((claim) => claim.selectedNode === undefined);
}

/** The first of them that the rule explains; `isBlamed`: the scheduler itself says that it finds nothing. */
function onClaimsWithout(
  cause: string,
  explain: (p: PodCase, claim: PresentClaim, isBlamed: boolean) => Explanation | undefined,
): PodRule {
  return podRule({
    cause,
    stage: 'schedule',
    severity: 'blocking',
    explain(p) {
      const isBlamed = blames(p, storageTexts.nothingToBind) === true;
      for (const claim of claimsWithout(p)) {
        const explanation = explain(p, claim, isBlamed);
        if (explanation) return explanation;
      }
      return undefined;
    },
  });
}

export const wffcNoProvisionerNoPv = onClaimsWithout('wffc-no-provisioner-no-pv', (p, claim, isBlamed) => {
  const storageClass = claim.storageClassObject;
  if (storageClass ? claim.provisioner !== undefined : !isBlamed) return undefined;
  const className = claim.class.name;
  const volumes = claim.ask.volumesFor(className, `whether a volume of class ${className} is free`);
  const fits = fitNodes(p);
  const ofClass = volumes.items.filter((volume) => resolveClass(volume).name === className);
  const misses = ofClass.map((volume) => missOf(volume, claim, fits));
  const usable = misses.filter((miss) => miss.isUsable);
  if (usable.length > 0 && !isBlamed) return undefined;
  const isKnown = storageClass !== undefined && volumes.complete && fits.complete && usable.length === 0;
  if (!isKnown && !isBlamed) return undefined;
  const lack =
    ofClass.length === 0
      ? `${volumes.complete ? 'there is' : 'the scheduler finds'} no volume of that class`
      : ofClass.length === 1
        ? `its one volume does not fit: pv/${ofClass[0]?.metadata.name ?? ''} ${misses[0]?.text ?? ''}`
        : `none of its ${ofClass.length} volumes fits where the pod can go`;
  return {
    confidence: isKnown ? 'certain' : storageClass ? 'likely' : 'possible',
    summary: storageClass
      ? `class ${className} makes no volumes itself, and ${lack}, so pvc/${claim.name} has nothing to bind to`
      : `the scheduler finds no volume for pvc/${claim.name}, and class ${className}, which would say whether one can be made, could not be read`,
    evidence: [
      storageClass
        ? field(storageClass, 'provisioner', storageClass.provisioner ?? '')
        : field(claim.claim, 'spec.storageClassName', className),
      ...misses.slice(0, mostShown).map(({ evidence }) => evidence),
      ...schedulerSaid(p),
    ],
    fix: [
      fix(
        `look which volumes there are, and make one of class ${className} of at least ${claim.request ?? 'the size asked for'} on a node that can take the pod`,
        `kubectl get pv -o custom-columns='NAME:.metadata.name,CLASS:.spec.storageClassName,SIZE:.spec.capacity.storage,PHASE:.status.phase,CLAIM:.spec.claimRef.name'`,
      ),
      ...(misses.some((miss) => miss.isReleased)
        ? [
            fix(
              'look at the Released volumes: none is given out again before somebody has looked after its data and taken its claimRef away',
              'kubectl get pv | grep Released',
            ),
          ]
        : []),
    ],
  };
});

/**
 * A claim that was deleted and made again, as with a StatefulSet on local volumes: its own volume lies there, and stays
 * with the uid that is gone (pv_controller syncVolume).
 */
export const wffcReleasedStaleClaimRef = onClaimsWithout('pv-released-stale-claimref', (p, claim) => {
  if (!claim.storageClassObject || claim.provisioner !== undefined) return undefined;
  const volumes = claim.ask.volumesFor(claim.class.name, `whether a volume of class ${claim.class.name} is free`);
  const ofClass = volumes.items.filter((volume) => resolveClass(volume).name === claim.class.name);
  const own = ofClass.find(
    (volume) => namesClaim(volume, claim.claim) && reservationOf(volume, claim.claim) === 'other',
  );
  if (!own || ofClass.some((volume) => missOf(volume, claim, fitNodes(p)).isUsable)) return undefined;
  return {
    summary: staleText(own),
    evidence: [
      field(claim.claim, 'metadata.uid'),
      field(own, 'spec.claimRef.uid'),
      field(own, 'status.phase'),
      ...schedulerSaid(p),
    ],
    fix: keepReservation(own),
  };
});

interface Miss {
  readonly text: string;
  readonly evidence: Evidence;
  readonly isUsable: boolean;
  readonly isReleased: boolean;
}

const words = {
  claimed: 'belongs to another claim',
  terminating: 'is being deleted',
  phase: 'is not Available',
  class: 'has another class',
  volumeMode: 'has another volumeMode',
  accessModes: 'lacks an access mode',
  capacity: 'is too small',
  attributesClass: 'has another volume attributes class',
  selector: 'does not match the selector of the claim',
} as const;

/** The nearest miss of one volume over all nodes: what it fails wherever it is put, else why the pod cannot go to it. */
function missOf(volume: Volume, claim: PresentClaim, fits: NodeFits): Miss {
  const anywhere = matchVolume(volume, claim.claim, { by: 'scheduler', node: fits.items[0]?.node ?? nowhere });
  const failed = anywhere.failed.find((check) => check !== 'nodeAffinity') as keyof typeof words | undefined;
  const isReleased = volume.status?.phase === 'Released';
  if (failed !== undefined)
    return {
      text: detail(failed, volume, claim),
      evidence: note(volume, detail(failed, volume, claim)),
      isUsable: false,
      isReleased,
    };
  const near = fits.items.filter(
    ({ node }) => !matchVolume(volume, claim.claim, { by: 'scheduler', node }).failed.includes('nodeAffinity'),
  );
  const free = near.filter(({ refusal }) => !refusal);
  if (free.length > 0)
    return {
      text: `would fit on ${nameNodes(free)}`,
      evidence: note(volume, `would fit on ${nameNodes(free)}`),
      isUsable: true,
      isReleased,
    };
  const text =
    near.length === 0
      ? `can be used on no node (${describeReach(volume)})`
      : `can be used on ${nameNodes(near)} only: ${tellRefusals(near)}`;
  return { text, evidence: note(volume, text), isUsable: false, isReleased };
}

const nowhere: Node = { kind: 'Node', metadata: { name: '' } };

function detail(check: keyof typeof words, volume: Volume, claim: PresentClaim): string {
  if (check === 'capacity')
    return `is too small: ${volume.spec?.capacity?.['storage'] ?? 'no size'} of ${claim.request ?? '0'}`;
  if (check === 'phase') return `is ${volume.status?.phase ?? 'without a phase'}, not Available`;
  if (check === 'claimed')
    return `belongs to ${volume.spec?.claimRef?.namespace ?? ''}/${volume.spec?.claimRef?.name ?? ''}${volume.status?.phase === 'Released' ? ' (Released)' : ''}`;
  if (check === 'accessModes')
    return `offers ${(volume.spec?.accessModes ?? []).join(', ') || 'no access mode'}, not ${(claim.claim.spec?.accessModes ?? []).join(', ')}`;
  return words[check];
}

/** v1helper.MatchTopologySelectorTerms: terms are alternatives, keys and values must be node labels as they stand. */
export const wffcAllowedTopologies = onClaimsWithout('wffc-allowed-topologies', (p, claim, isBlamed) => {
  const storageClass = claim.storageClassObject;
  const terms = storageClass?.allowedTopologies ?? [];
  if (!storageClass || claim.provisioner === undefined || terms.length === 0) return undefined;
  const fits = fitNodes(p);
  const allowed = fits.items.filter(({ node }) => matchesTopologyTerms(terms, node.metadata.labels ?? {}));
  const isProven = fits.complete && fits.items.length > 0 && allowed.every(({ refusal }) => refusal);
  if (!isProven && !isBlamed) return undefined;
  const wanted = terms
    .map(
      ({ matchLabelExpressions = [] }) =>
        matchLabelExpressions
          .map(({ key, values }) => `${key ?? ''} in (${(values ?? []).join(', ')})`)
          .join(' and ') || 'nothing',
    )
    .join(' or ');
  const keys = [
    ...new Set(
      terms.flatMap(({ matchLabelExpressions = [] }) => matchLabelExpressions.flatMap(({ key }) => (key ? [key] : []))),
    ),
  ];
  const others = otherReasonsText(p);
  const rest =
    allowed.length === 0
      ? 'and no node is there'
      : `and ${isProven ? tellRefusals(allowed) : `${nameNodes(allowed)} cannot take the pod${others ? ` (${others})` : ''}`}`;
  const className = storageClass.metadata.name;
  return {
    confidence: isProven ? 'certain' : 'likely',
    about: allowed.length === 0 ? className : aboutPod(p),
    summary: `class ${className} allows volumes only where ${wanted}, ${rest}`,
    evidence: [
      field(storageClass, 'allowedTopologies', wanted),
      ...fits.items
        .slice(0, mostShown)
        .map(({ node }) =>
          field(
            node,
            'metadata.labels',
            keys.map((key) => `${key}=${node.metadata.labels?.[key] ?? '(not set)'}`).join(', '),
          ),
        ),
      ...refusalEvidence(allowed),
      ...schedulerSaid(p),
    ],
    fix: [
      fix(
        'compare the class with the labels of the nodes',
        `kubectl get nodes ${keys.map((key) => `-L ${shellWord(key)}`).join(' ')}`,
      ),
      remakeClass(className, 'with topologies that the nodes have, or add nodes where it allows volumes'),
    ],
  };
});
