import type { ClaimSpec, Pod, StatefulSet } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { predecessorOf, saysUnmade } from '../../facts/claim/expectation.ts';
import type { Expectation } from '../../facts/claim/expectation.ts';
import { betaClassAnnotation } from '../../facts/class/storage-class.ts';
import { absent, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';

/** A claim that a controller should have created from a template, and has not. */
export interface UnmadeClaim {
  readonly owner: StatefulSet | Pod;
  /** The owner as it is printed. */
  readonly label: string;
  /** The path of the template in the owner. */
  readonly path: string;
  readonly spec: ClaimSpec | undefined;
  /** The class that the template names; undefined: the default class, if there is one. */
  readonly className: string | undefined;
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
  const template = set.spec?.volumeClaimTemplates?.find(
    ({ metadata }) => `${metadata?.name ?? ''}-${podName}` === c.name,
  );
  return {
    owner: set,
    label: `statefulset/${set.metadata.name}`,
    path: `spec.volumeClaimTemplates[${template?.metadata?.name ?? ''}]`,
    spec,
    className: template?.metadata?.annotations?.[betaClassAnnotation] ?? spec?.storageClassName,
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
      path: `spec.volumes[${volume.name ?? ''}].ephemeral.volumeClaimTemplate`,
      spec: template?.spec,
      className: template?.metadata?.annotations?.[betaClassAnnotation] ?? template?.spec?.storageClassName,
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

/** Templates cannot be changed in place: neither those of a set nor the volumes of a pod. */
export function remakeOwner({ owner }: UnmadeClaim, what: string): Fix {
  const { namespace, name } = owner.metadata;
  if (owner.kind === 'Pod')
    return fix(
      `${what} in the pod's template, and make the pod again`,
      `kubectl ${inNamespace(namespace)}delete pod ${shellWord(name)}`,
      'disruptive',
    );
  return fix(
    `${what}: delete the set without its pods, and apply it again with the other template`,
    `kubectl ${inNamespace(namespace)}delete statefulset ${shellWord(name)} --cascade=orphan`,
    'disruptive',
  );
}
