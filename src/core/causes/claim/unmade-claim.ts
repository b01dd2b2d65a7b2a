import type { ClaimSpec, Pod, StatefulSet } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { predecessorOf, saysUnmade } from '../../facts/claim/expectation.ts';
import type { Expectation } from '../../facts/claim/expectation.ts';
import { betaClassAnnotation } from '../../facts/class/storage-class.ts';
import { absent, inNamespace, shellWord } from '../../facts/evidence.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';
import { keeperNote } from '../lib/managed-by.ts';
import { changePodFix, restartPodCommands } from '../lib/pod-change.ts';
import { recreateSetCommands, retryCommand } from '../lib/remake-set.ts';
import type { Operation } from '../lib/remake-set.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';

/** A claim that a controller should have created from a template, and has not. */
export interface UnmadeClaim {
  readonly owner: StatefulSet | Pod;
  /** The owner as it is printed. */
  readonly label: string;
  /** The path of the template in the owner. */
  readonly path: string;
  /** The position of the template in the set, or of the volume in the pod. */
  readonly index: number;
  /** The name of the template or of the ephemeral volume. */
  readonly template: string;
  readonly spec: ClaimSpec | undefined;
  /** The class that the template names; undefined: the default class, if there is one. */
  readonly className: string | undefined;
  /** The set has its pod, so the claim exists although it was not read. */
  readonly hasPod: boolean;
  /** It should exist by now: its turn has come, and it is known, or reported by its owner, that it does not. */
  readonly isDue: boolean;
}

export function unmadeClaimOf(c: ClaimCase): UnmadeClaim | undefined {
  const [expected] = c.expectation.sets;
  return expected ? unmadeOfSet(c, expected) : unmadeOfPod(c);
}

/** The claim of a generic ephemeral volume. */
export function unmadeEphemeralClaimOf(c: ClaimCase): UnmadeClaim | undefined {
  const unmade = unmadeClaimOf(c);
  return unmade?.owner.kind === 'Pod' ? unmade : undefined;
}

function unmadeOfSet(c: ClaimCase, expected: Expectation['sets'][number]): UnmadeClaim {
  const { set, podName, spec } = expected;
  const templates = set.spec?.volumeClaimTemplates ?? [];
  const index = templates.findIndex(({ metadata }) => `${metadata?.name ?? ''}-${podName}` === c.name);
  const template = templates[index];
  return {
    owner: set,
    label: `statefulset/${set.metadata.name}`,
    index,
    template: template?.metadata?.name ?? '',
    path: `spec.volumeClaimTemplates[${template?.metadata?.name ?? ''}]`,
    spec,
    className: template?.metadata?.annotations?.[betaClassAnnotation] ?? spec?.storageClassName,
    hasPod:
      c.lookup.state === 'unknown' && expected.ordinal - (set.spec?.ordinals?.start ?? 0) < (set.status?.replicas ?? 0),
    // An ordered set creates the claims of a pod only after the pods before it are ready.
    isDue:
      (c.expectation.pods.length > 0 || predecessorOf(expected, c.ask) === undefined) &&
      (c.lookup.state === 'missing' || (isNotInDump(c) && saysUnmade(expected))),
  };
}

function unmadeOfPod(c: ClaimCase): UnmadeClaim | undefined {
  for (const pod of c.expectation.pods) {
    const volume = pod.spec?.volumes?.find(
      ({ ephemeral, name }) => ephemeral !== undefined && `${pod.metadata.name}-${name ?? ''}` === c.name,
    );
    if (!volume || pod.metadata.deletionTimestamp !== undefined) continue;
    const template = volume.ephemeral?.volumeClaimTemplate;
    return {
      owner: pod,
      label: `pod/${pod.metadata.name}`,
      index: (pod.spec?.volumes ?? []).indexOf(volume),
      template: volume.name ?? '',
      path: `spec.volumes[${volume.name ?? ''}].ephemeral.volumeClaimTemplate`,
      spec: template?.spec,
      className: template?.metadata?.annotations?.[betaClassAnnotation] ?? template?.spec?.storageClassName,
      hasPod: false,
      isDue: c.lookup.state === 'missing' || waitsForController(c, pod),
    };
  }
  return undefined;
}

/** The claim that does not exist, or that could not be read. */
export function absenceOf(c: ClaimCase): Evidence {
  if (c.lookup.state === 'missing') return absent('PersistentVolumeClaim', c.name, c.namespace);
  return {
    object: { kind: 'PersistentVolumeClaim', namespace: c.namespace, name: c.name },
    value: isNotInDump(c) ? 'not in the dump' : 'could not be read',
  };
}

function isNotInDump(c: ClaimCase): boolean {
  return c.ask.graph.coverage.of('PersistentVolumeClaim', { namespace: c.namespace, name: c.name }).state === 'unread';
}

/** The scheduler looks for the claim too, and reports when it does not exist. */
function waitsForController(c: ClaimCase, pod: Pod): boolean {
  const said = new PodCase(c.ask, pod).schedulingMessage?.raw ?? '';
  return (
    /waiting for ephemeral volume controller to create the persistentvolumeclaim "([^"]+)"/i.exec(said)?.[1] === c.name
  );
}

/**
 * Changes the template of the claim, which cannot be changed in place: neither in a set nor in a pod. `how` completes
 * "with …"; `change` has the paths of fields in the template, and their values.
 */
export function remakeOwner(unmade: UnmadeClaim, how: string, change: Readonly<Record<string, unknown>>): Fix {
  const { owner, index, template } = unmade;
  if (owner.kind === 'Pod') {
    return changePodFix(
      owner,
      { volumes: [{ name: template, ephemeral: { volumeClaimTemplate: nestedOf(change) } }] },
      (where) =>
        `Create the claim ${how}: change ephemeral volume "${template}" ${where}. The claim is created with the new pod.`,
    );
  }
  const operations = Object.entries(change).map(([path, value]): Operation => ({
    op: 'add',
    path: `/spec/volumeClaimTemplates/${index}/${path.replaceAll('.', '/')}`,
    value,
  }));
  const operator = customOwnerOf(owner);
  if (operator)
    return steps(
      `Change the claim template in ${operator.kind} "${operator.name}", from which an operator makes ${unmade.label} and would undo a change of it: set ${Object.entries(
        change,
      )
        .map(([path, value]) => `${path.replace(/^spec\./, '')} ${textOf(value)}`)
        .join(
          ' and ',
        )} there. If the operator does not replace the set, whose volumeClaimTemplates cannot be changed in place, run the other lines; its pods keep running, and the set is created anew.`,
      [
        `kubectl ${inNamespace(owner.metadata.namespace)}edit ${shellWord(operator.resource)} ${shellWord(operator.name)}`,
        saveCommand(owner),
        kubectl('delete', owner, '--cascade=orphan'),
      ],
      'disruptive',
    );
  return steps(
    `Recreate ${unmade.label} ${how} in volumeClaimTemplates, which cannot be changed in place. Its pods ` +
      `keep running and are adopted by the new set, which then creates the claim.${keeperNote(owner)}`,
    recreateSetCommands(owner, operations),
    'disruptive',
  );
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The custom resource that owns a set: its operator keeps the set as the resource says. */
function customOwnerOf({ metadata }: StatefulSet): { kind: string; name: string; resource: string } | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const [group = '', version] = (owner?.apiVersion ?? '').split('/');
  if (!owner?.kind || !owner.name || version === undefined || !group.includes('.') || group.endsWith('.k8s.io'))
    return undefined;
  return { kind: owner.kind, name: owner.name, resource: `${owner.kind.toLowerCase()}.${group}` };
}

/** `{'spec.resources.requests.storage': '5Gi'}` as nested objects. */
function nestedOf(change: Readonly<Record<string, unknown>>): object {
  const result: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(change)) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    let place = result;
    for (const name of names) place = (place[name] ??= {}) as Record<string, unknown>;
    place[last] = value;
  }
  return result;
}

/**
 * What makes the owner's controller try again at once. The ephemeral volume controller looks at a pod only when it is
 * new.
 */
export function retryCommands({ owner }: UnmadeClaim, now: number): string[] {
  return owner.kind === 'Pod' ? restartPodCommands(owner) : [retryCommand(owner, now)];
}

/** ` The second line …`, to follow the sentence about the first. */
export function retryText({ owner, label }: UnmadeClaim): string {
  return owner.kind === 'Pod'
    ? ` ${label} is recreated, since its claim is otherwise tried again only after up to 16 minutes; it never ran.`
    : ` The annotation makes ${label} try again at once; otherwise that can take up to 16 minutes.`;
}
