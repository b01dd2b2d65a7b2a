import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { field, shellWord } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { nameSome } from './claim-holders.ts';

type Subject = ObjectCase<'Namespace'>;

/** An operator that is alive removes its finalizers sooner. */
const operatorSeconds = 600;

/** What is left of one resource, or what one finalizer holds, as the namespace controller counts it. */
interface Count {
  readonly name: string;
  readonly count: number;
}

/**
 * Objects of an operator that are being deleted and that nothing finishes: a finalizer is removed only by the
 * controller that set it, and an operator that ran in the namespace is deleted with it
 * (namespaced_resources_deleter: the conditions count what is left).
 */
export function heldByOperator(n: Subject): Explanation | undefined {
  const held = conditionOf(n.object.status?.conditions, 'NamespaceFinalizersRemaining');
  const left = conditionOf(n.object.status?.conditions, 'NamespaceContentRemaining');
  if (held?.status !== 'True' || n.secondsSince(n.object.metadata.deletionTimestamp) < operatorSeconds)
    return undefined;
  const finalizers = countsIn(held.message ?? '', / in (\d+) resource instances?/);
  const resources = countsIn(left?.message ?? '', / has (\d+) resource instances?/);
  if (finalizers.length === 0) return undefined;
  const volumes = volumesOf(n);
  const since = parseTime(n.object.metadata.deletionTimestamp);
  const what = resources.length === 0 ? 'objects' : countText(resources);
  return {
    confidence: 'likely',
    summary:
      `Namespace ${n.name} was deleted${since === undefined ? '' : ` ${ageText(since, n.now)} ago`} and waits for ${what}: ` +
      `${finalizers.length > 1 ? 'finalizers' : 'finalizer'} ${finalizers.map(({ name }) => name).join(', ')} ${finalizers.length > 1 ? 'hold' : 'holds'} them. ` +
      'Only the operator that set them removes them; if it ran in this namespace, it was deleted with it.' +
      dataWords(volumes),
    evidence: [
      field(n.object, 'status.conditions[NamespaceFinalizersRemaining].message', held.message ?? ''),
      ...(left ? [field(n.object, 'status.conditions[NamespaceContentRemaining].message', left.message ?? '')] : []),
      ...volumes.slice(0, 3).map(volumeEvidence),
    ],
    fix: fixesFor(n, resources, volumes),
  };
}

/** `a in 2 resource instances, b in 1 resource instances`. */
function countsIn(message: string, pattern: RegExp): Count[] {
  return message
    .replace(/^[^:]*: /, '')
    .split(', ')
    .flatMap((part) => {
      const match = pattern.exec(part);
      return match ? [{ name: part.slice(0, match.index).replace(/\.$/, ''), count: Number(match[1]) }] : [];
    });
}

function countText(counts: readonly Count[]): string {
  return counts.map(({ name, count }) => `${count} ${name}`).join(', ');
}

/** Volumes of a storage that runs in the namespace: its name is in their driver, their cluster, or their login. */
function volumesOf(n: Subject): readonly Volume[] {
  const { items } = n.ask.list('PersistentVolume', undefined, `which volumes have their data in namespace ${n.name}`);
  return items.filter(({ spec, status }) => {
    const { csi } = spec ?? {};
    return (
      status?.phase === 'Bound' &&
      csi !== undefined &&
      (csi.driver?.startsWith(`${n.name}.`) === true ||
        csi.volumeAttributes?.['clusterID'] === n.name ||
        csi.nodeStageSecretRef?.namespace === n.name)
    );
  });
}

function claimText({ spec }: Volume): string {
  return `pvc/${spec?.claimRef?.name ?? ''} in namespace ${spec?.claimRef?.namespace ?? ''}`;
}

function dataWords(volumes: readonly Volume[]): string {
  if (volumes.length === 0) return '';
  return ` ${nameSome(volumes.map(claimText))} ${volumes.length > 1 ? 'have their' : 'has its'} data in the storage of this namespace.`;
}

function volumeEvidence(volume: Volume): Evidence {
  return field(volume, 'spec.csi.driver', `${volume.spec?.csi?.driver ?? ''}, bound to ${claimText(volume)}`);
}

function fixesFor(n: Subject, resources: readonly Count[], volumes: readonly Volume[]): Fix[] {
  const place = `-n ${shellWord(n.name)}`;
  const names = resources.map(({ name }) => name);
  const list = names.length > 0 ? names.map(shellWord).join(',') : 'PLACEHOLDER_RESOURCE';
  const custom = names.filter((name) => name.includes('.'));
  return [
    steps(
      `Save what describes the storage before anything else, and decide whether its data is needed${volumes.length > 0 ? ` (${nameSome(volumes.map(claimText))} ${volumes.length > 1 ? 'are' : 'is'} still bound to it)` : ''}. The file holds Secrets: keep it safe. If the data is needed, follow the disaster recovery of the operator with this file (its nodes and disks still hold the data), and leave the finalizers alone.`,
      [`kubectl ${place} get ${list} -o yaml > ${shellWord(`${n.name}-left.yaml`)}`],
    ),
    steps(
      `Only if the data is not needed any more: remove the finalizers of what is left, one object after the other (PLACEHOLDER_OBJECT is KIND/NAME from the first line), ${custom.length > 1 ? 'the object that describes the whole storage last' : 'once nothing needs it'}. The namespace then goes, and what the operator would have cleaned up stays on nodes and disks.`,
      [
        `kubectl ${place} get ${list} -o custom-columns=KIND:.kind,NAME:.metadata.name,FINALIZERS:.metadata.finalizers`,
        `kubectl ${place} patch PLACEHOLDER_OBJECT --type=merge -p '{"metadata":{"finalizers":null}}'`,
      ],
      'data-loss',
    ),
  ];
}
