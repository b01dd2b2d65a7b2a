import type { Volume } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { renewalWords } from '../../facts/driver/controller-health.ts';
import { findController, logsFix } from '../../facts/driver/drivers.ts';
import { staleManagerLease } from '../../facts/driver/manager-lease.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { aboutPod, delayedClaims, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { podRule } from '../lib/rule.ts';
import type { PodRule } from '../lib/rule.ts';
import { kubectl, patchCommand, steps } from '../lib/steps.ts';
import { volumesOfItsClass } from './nothing-to-bind.ts';
import { missOf } from './volume-miss.ts';

type FailedStage = 'schedule' | 'provision' | 'bind';

/**
 * A timeout in PreBind is the result of a fault in provisioning or binding, not the fault itself: these rules come
 * last in their stage. With a class that provisions, the open stage is provisioning; otherwise scheduling, or binding where a node
 * is chosen.
 */
export const wffcBindTimeout = bindTimeoutAt('schedule');
export const wffcBindTimeoutOfProvision = bindTimeoutAt('provision');
export const wffcBindTimeoutOfBind = bindTimeoutAt('bind');

function bindTimeoutAt(stage: FailedStage): PodRule {
  return podRule({
    cause: 'wffc-bind-timeout',
    stage,
    severity: 'blocking',
    explain(p) {
      const [said] = schedulerSaid(p);
      if (p.isScheduled || !said || !storageTexts.bindTimeout.test(p.schedulingMessage?.raw ?? '')) return undefined;
      const unbound = p.claims.filter((claim) => !claim.isBound).map((claim) => `pvc/${claim.name}`);
      const left = stage === 'provision' ? undefined : findLeft(p);
      return {
        confidence: stage === 'provision' ? 'possible' : 'likely',
        about: aboutPod(p),
        summary:
          `The scheduler selected a node for pod/${p.pod.metadata.name}, but ` +
          `${unbound.length > 0 ? unbound.join(', ') : 'its claims'} ` +
          `${unbound.length === 1 ? 'was' : 'were'} not bound within its time limit (10 minutes unless set). ` +
          `It tries again automatically.${left ? ` ${leftText(left)}` : ''}`,
        evidence: [said, ...(left ? [field(left, 'status.phase')] : [])],
        fix: stage === 'provision' ? readProvisioner(p) : [...(left ? cleanUp(p, left) : []), ...completeBinding(p)],
      };
    },
  });
}

/** A local volume of the class that its former claim left, where nothing else fits: the scheduler may have counted on it. */
function findLeft(p: PodCase): Volume | undefined {
  const fits = fitNodes(p);
  const volumes = delayedClaims(p).flatMap((claim) => {
    const { items } = volumesOfItsClass(claim);
    return items.some((volume) => missOf(volume, claim, fits).isUsable) ? [] : items;
  });
  return volumes.find(
    ({ spec, status, metadata }) =>
      status?.phase === 'Released' &&
      spec?.persistentVolumeReclaimPolicy === 'Delete' &&
      metadata.annotations?.['pv.kubernetes.io/provisioned-by']?.startsWith('local-volume-provisioner') === true,
  );
}

function leftText({ metadata: { name }, spec }: Volume): string {
  return (
    `pv/${name}, which ${spec?.claimRef?.namespace ?? ''}/${spec?.claimRef?.name ?? ''} left, is Released: ` +
    'it can be bound again once the local static provisioner has cleaned and recreated it.'
  );
}

/** A pod that its owner recreates is scheduled anew at once. */
function cleanUp({ pod }: PodCase, volume: Volume): Fix[] {
  const [node] = (volume.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap(({ matchExpressions = [] }) =>
    matchExpressions.flatMap(({ values = [] }) => values),
  );
  const { name } = pod.metadata;
  const retry = ownerOf(pod) ? [kubectl('delete', pod)] : [];
  const place = node === undefined ? '' : ` --field-selector spec.nodeName=${shellWord(node)}`;
  return [
    steps(
      `Check that the local static provisioner runs${node === undefined ? '' : ` on ${node}`} and cleans ` +
        `pv/${volume.metadata.name}: the second line no longer finds it, or shows it ` +
        `Available.${retry.length > 0 ? ` Then delete pod/${name}: its replacement is scheduled at once.` : ` The scheduler then tries again automatically, within 5 minutes.`}`,
      [
        `kubectl get pods -A -o wide${place} | grep -i local`,
        `kubectl get pv ${shellWord(volume.metadata.name)}`,
        ...retry,
      ],
      'disruptive',
    ),
  ];
}

/** The provisioner creates the volume that the scheduler waits for, so it has the reason. */
function readProvisioner(p: PodCase): Fix[] {
  const claim = p.claims.find((each) => !each.isBound && each.provisioner !== undefined);
  if (!claim) return [];
  const logs = logsFix(findController(p.ask, claim.provisioner ?? '', 'provisioner'));
  return [
    {
      ...logs,
      text:
        `${logs.text.replace(/\.$/, '')}: it says why the volume of pvc/${claim.name} was not created. ` +
        'Correct that; the scheduler tries again automatically.',
    },
  ];
}

/** The scheduler only proposes a volume: the volume controller in the kube-controller-manager completes the binding. */
function completeBinding(p: PodCase): Fix[] {
  const lease = staleManagerLease(p.ask);
  if (lease)
    return [
      steps(
        `Start the kube-controller-manager, which completes the binding: ${renewalWords(lease, p.now)}. ` +
          'The scheduler tries again automatically, within 5 minutes.',
        [],
      ),
    ];
  const fits = fitNodes(p);
  const matches = delayedClaims(p).flatMap((claim) =>
    volumesOfItsClass(claim)
      .items.filter((volume) => missOf(volume, claim, fits).isUsable)
      .map((volume) => ({ claim, volume })),
  );
  const [match, ...more] = matches;
  const read = steps(
    `${match && more.length === 0 ? 'If it stays unbound, read' : 'Read'} why the kube-controller-manager ` +
      'does not complete the binding, and correct that. On managed clusters ask the provider.',
    ['kubectl -n kube-system logs -l component=kube-controller-manager --tail=200 | grep -i persistentvolume'],
  );
  if (!match || more.length > 0) return [read];
  return [
    steps(
      `Bind pvc/${match.claim.name} to pv/${match.volume.metadata.name}, the only volume that fits, ` +
        `without waiting for the scheduler. pod/${p.pod.metadata.name} is then scheduled where the volume is.`,
      [patchCommand(match.claim.claim, { spec: { volumeName: match.volume.metadata.name } })],
    ),
    read,
  ];
}
