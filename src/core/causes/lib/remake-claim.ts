import type { Claim, Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { ClaimOfClass } from '../../facts/claim/claim-of-class.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { betaClassAnnotation } from '../../facts/class/storage-class.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';
import { makerOf } from '../claim/claim-template.ts';
import { keeperNote } from './managed-by.ts';
import { recreateCommands } from './recreate.ts';
import { changePod } from './pod-change.ts';
import { kubectl, saveCommand, steps } from './steps.ts';

/** A change of a claim as a JSON merge patch. */
export interface ClaimChange {
  readonly metadata?: object;
  readonly spec: object;
}

/**
 * The spec of a claim cannot be changed; one that never had a volume loses nothing when it is recreated. `how`
 * completes "Recreate the claim …". A claim of an ephemeral volume is recreated by its pod, so there the pod's template
 * is changed.
 */
export function recreateClaim(c: PresentClaim, how: string, change: ClaimChange, then = ''): Fix {
  const next = then === '' && isProvisioned(c, change) ? 'The volume is then provisioned automatically.' : then;
  const tail = next === '' ? '' : ` ${next}`;
  if (c instanceof ClaimOfClass) return steps(`Create claims of this class ${how}.${tail}`, []);
  const pod = podOfEphemeral(c);
  if (pod) return changeTemplate(c, pod, how, change, tail);
  const keeper = keeperOf(c.claim);
  if (keeper)
    return steps(
      `Recreate ${keeper.kind} "${keeper.name}" ${how}: it owns the claim, and its controller would recreate ` +
        `the claim as it is. The claim was never bound, so it holds no data.${tail} Correct the saved file ` +
        'before the last line.',
      changeKeeper(c, keeper),
    );
  const why = Object.keys(change.spec).length === 0 ? '' : 'its spec cannot be changed, and ';
  return steps(
    `Recreate the claim ${how}: ${why}it was never bound, so it holds no data.${tail}${setNote(c)}${keeperNote(c.claim)}`,
    recreateCommands(c.claim, change),
  );
}

/** A claim that names a volume, before or after the change, binds to that one. */
function isProvisioned(c: PresentClaim, { spec }: ClaimChange): boolean {
  return c.provisioner !== undefined && !c.namesVolume && !('volumeName' in spec);
}

/** The claim names its data source in one or both of two fields, which must stay alike. */
export function sourceChange({ claim }: { readonly claim: Claim }, change: object | null): ClaimChange {
  const { dataSource, dataSourceRef } = claim.spec ?? {};
  return {
    spec: { ...(dataSource && { dataSource: change }), ...(dataSourceRef && { dataSourceRef: change }) },
  };
}

/** The old annotation would override the field. */
export function classChange({ claim }: { readonly claim: Claim }, name: string): ClaimChange {
  const isAnnotated = claim.metadata.annotations?.[betaClassAnnotation] !== undefined;
  return {
    ...(isAnnotated && { metadata: { annotations: { [betaClassAnnotation]: null } } }),
    spec: { storageClassName: name },
  };
}

/** The claim gets a class that provisions. Provisioners refuse a selector, so that it goes. */
export function provisionChange(c: { readonly claim: Claim }, name: string): ClaimChange {
  const { spec, ...rest } = classChange(c, name);
  return { ...rest, spec: { ...spec, ...(c.claim.spec?.selector && { selector: null }) } };
}

/** ` and without its selector`, to complete "with StorageClass …". */
export function selectorText({ claim }: { readonly claim: Claim }): string {
  return claim.spec?.selector ? ' and without its selector, which provisioners refuse' : '';
}

export function sizeChange(size: string): ClaimChange {
  return { spec: { resources: { requests: { storage: size } } } };
}

/** New replicas get their claims from the template of the set, which cannot be changed either. */
function setNote(c: PresentClaim): string {
  const maker = makerOf(c);
  return maker
    ? ` New replicas of statefulset/${maker.set} still get the old form: correct volumeClaimTemplates there when you next recreate it.`
    : '';
}

function podOfEphemeral(c: PresentClaim): Pod | undefined {
  const owner = c.claim.metadata.ownerReferences?.find(({ kind }) => kind === 'Pod');
  return owner && c.ask.seen('Pod').find(({ metadata }) => metadata.uid === owner.uid);
}

type OwnerReference = NonNullable<Claim['metadata']['ownerReferences']>[number];

/** An object of an operator that creates the claim: a claim that is deleted under it comes back in its old form. */
function keeperOf({ metadata }: Claim): OwnerReference | undefined {
  return metadata.ownerReferences?.find(
    ({ kind, controller, apiVersion }) =>
      controller === true &&
      kind !== 'Pod' &&
      apiVersion?.split('/')[0]?.includes('.') === true &&
      kind !== 'StatefulSet',
  );
}

function changeKeeper(c: PresentClaim, { kind, name, apiVersion = '' }: OwnerReference): string[] {
  const [group = '', version = ''] = apiVersion.split('/');
  const type = shellWord(`${kind ?? ''}.${version}.${group}`);
  const file = shellWord(`${name ?? ''}.yaml`);
  const place = `kubectl ${inNamespace(c.namespace)}`;
  return [
    `${place}get ${type} ${shellWord(name ?? '')} -o yaml > ${file}`,
    `${place}delete ${type} ${shellWord(name ?? '')}`,
    `kubectl patch --local -f ${file} --type=merge -p ` +
      `${shellWord(JSON.stringify({ metadata: { uid: null, resourceVersion: null, creationTimestamp: null }, status: null }))} ` +
      '-o yaml | kubectl create -f -',
  ];
}

const templated: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

/** pkg/controller/volume/ephemeral: the claim is PODNAME-VOLUME, and belongs to the pod. */
function changeTemplate(c: PresentClaim, pod: Pod, how: string, change: ClaimChange, tail: string): Fix {
  const volume = c.name.slice(pod.metadata.name.length + 1);
  const index = (pod.spec?.volumes ?? []).findIndex(({ name }) => name === volume);
  const ephemeral = { volumeClaimTemplate: { spec: change.spec } };
  const owner = ownerOf(pod);
  if (owner && templated.has(owner.kind)) {
    const patch = { spec: { template: { spec: { volumes: [{ name: volume, ephemeral }] } } } };
    return steps(
      `Change the template of ephemeral volume "${volume}" in ${owner.kind.toLowerCase()}/${owner.name} ` +
        `${how}: the claim belongs to pod/${pod.metadata.name} and is recreated with it.${tail}`,
      [
        `kubectl ${inNamespace(c.namespace)}patch ${owner.kind.toLowerCase()} ${shellWord(owner.name)} -p ` +
          `${shellWord(JSON.stringify(patch))}`,
      ],
      'disruptive',
    );
  }
  if (owner || index < 0)
    return steps(
      `Set the template of ephemeral volume "${volume}" ${how} in what creates pod/${pod.metadata.name}, then ` +
        `delete the pod: the claim belongs to it and is recreated with it.${tail}`,
      [saveCommand(pod), kubectl('delete', pod)],
    );
  const { commands } = changePod(pod, { volumes: [{ name: volume, ephemeral }] });
  return steps(
    `Recreate pod/${pod.metadata.name} with ephemeral volume "${volume}" ${how}: ` +
      `the claim belongs to the pod and is recreated with it.${tail}`,
    commands,
  );
}
