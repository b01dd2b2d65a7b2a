import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Kind, Pod } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix, Risk } from '../../report/report.ts';
import { fileOf, kubectl, saveCommand, steps } from './steps.ts';

/** How the spec of a pod is changed: most of it cannot be changed in place. */
export interface PodChange {
  readonly commands: readonly string[];
  /** Completes "Set it …": in the template of deployment/web. */
  readonly where: string;
  /** A sentence about what happens to the pod; empty where its controller takes care. */
  readonly note: string;
  readonly risk: Risk;
}

const templateKinds: readonly Kind[] = ['Deployment', 'StatefulSet', 'DaemonSet'];

/** The controller of the pod, whose template new pods are made from; undefined for a pod that does not come back. */
function controllerOf(pod: Pod): { readonly kind: string; readonly name: string } | undefined {
  return ownerOf(pod);
}

/**
 * Changes the spec of a pod: in the template of its controller, or, for a pod without one, by saving, deleting and
 * creating it with the change. `spec` is a strategic merge patch of the pod's spec: volumes, containers and variables
 * are merged by name.
 */
export function changePod(pod: Pod, spec: object): PodChange {
  const owner = controllerOf(pod);
  if (!owner)
    return {
      commands: recreateBare(pod, spec),
      where: `in pod/${pod.metadata.name}`,
      note: ' The pod has no owner, so it is saved, deleted and recreated.',
      risk: pod.status?.phase === 'Running' ? 'disruptive' : 'safe',
    };
  const kind = templateKinds.find((known) => known === owner.kind);
  const where = `in the template of ${owner.kind.toLowerCase()}/${owner.name}`;
  if (!kind)
    return { commands: [], where, note: ' Recreate it if its template cannot be changed.', risk: 'disruptive' };
  const metadata = {
    name: owner.name,
    ...(pod.metadata.namespace !== undefined && { namespace: pod.metadata.namespace }),
  };
  const patch = JSON.stringify({ spec: { template: { spec } } });
  return {
    commands: [
      kubectl('patch', { kind, metadata }, `--type=strategic -p ${shellWord(patch)}`),
      // A StatefulSet does not replace a pod that never became ready, even if its template has changed.
      ...(kind === 'StatefulSet' ? [kubectl('delete', pod)] : []),
    ],
    where,
    note: kind === 'StatefulSet' ? ' Its stuck pod has to be deleted, too.' : '',
    risk: 'disruptive',
  };
}

/** A fix that changes the spec of a pod; `text` gets the place of the change. */
export function changePodFix(pod: Pod, spec: object, text: (where: string) => string): Fix {
  const { commands, where, note, risk } = changePod(pod, spec);
  return steps(`${text(where)}${note}`, commands, risk);
}

/** Starts a pod again as it is: its controller recreates it; a pod without one is saved and created again. */
export function restartPodCommands(pod: Pod): string[] {
  return controllerOf(pod) ? [kubectl('delete', pod)] : recreateBare(pod, {});
}

function recreateBare(pod: Pod, spec: object): string[] {
  const patch = {
    metadata: { uid: null, resourceVersion: null, creationTimestamp: null },
    spec: { nodeName: null, ...spec },
    status: null,
  };
  return [
    saveCommand(pod),
    kubectl('delete', pod),
    `kubectl patch --local -f ${shellWord(fileOf(pod))} --type=strategic -p ` +
      `${shellWord(JSON.stringify(patch))} -o yaml | kubectl create -f -`,
  ];
}

/**
 * Stops a pod for good: its controller is scaled down, a pod without one is saved and deleted. `text` gets what is
 * done.
 */
export function stopPodFix(pod: Pod, text: (what: string) => string): Fix {
  const owner = controllerOf(pod);
  const { namespace, name } = pod.metadata;
  if (!owner)
    return steps(
      text(`save and delete pod/${name}, which has no owner`),
      [saveCommand(pod), kubectl('delete', pod)],
      'disruptive',
    );
  if (owner.kind !== 'Deployment' && owner.kind !== 'StatefulSet')
    return steps(text(`stop ${owner.kind.toLowerCase()}/${owner.name}, which owns pod/${name}`), [], 'disruptive');
  const metadata = { name: owner.name, ...(namespace !== undefined && { namespace }) };
  return steps(
    text(`scale ${owner.kind.toLowerCase()}/${owner.name} to 0, which owns pod/${name}`),
    [kubectl('scale', { kind: owner.kind, metadata }, '--replicas=0')],
    'disruptive',
  );
}
