import { attachmentName } from '../../core/kube/names.ts';
import type { Observation, RawObject, Scope, Snapshot } from '../../core/kube/snapshot.ts';
import { logKey } from '../../core/kube/container-log.ts';
import type { UsageSurvey } from '../../core/kube/volume-usage.ts';
import { scopeKey } from '../../core/kube/snapshot.ts';
import { objectKey } from '../identify.ts';
import { appliedAnnotation } from './annotations.ts';
import { Disguise } from './disguise.ts';
import { disguiseLog } from './disguise-log.ts';
import { fieldRole } from './field-roles.ts';
import { Pseudonyms } from './pseudonyms.ts';
import { byText, sortFields } from './sort-fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The same cluster with other names: all references still hold, and nothing shows whose cluster it is. */
export function anonymize(snapshot: Snapshot, key: string): Snapshot {
  const disguise = new Disguise(new Pseudonyms(key));
  for (const object of snapshot.objects)
    walk(
      object,
      [],
      (text, path) => void (fieldRole(path) === 'driver' && disguise.keep(text)),
      () => undefined,
    );
  for (const { kind, metadata } of snapshot.objects) if (kind === 'CSIDriver') disguise.keep(metadata.name);
  const learn = (text: string, path: readonly string[]): void =>
    void (fieldRole(path) === 'name' && disguise.know(text));
  for (const object of snapshot.objects) walk(object, [], learn, (label) => disguise.know(label));
  for (const { scope } of snapshot.observations)
    for (const text of [scope.namespace, scope.name]) if (text !== undefined) disguise.know(text);
  renamePlaces(snapshot, disguise);
  renameAttachments(snapshot, disguise);
  return {
    ...snapshot,
    source: { ...snapshot.source, name: 'anonymized' },
    objects: snapshot.objects
      .map((object) => sortFields(disguiseObject(object, disguise)) as RawObject)
      .sort(byText(objectKey)),
    observations: snapshot.observations
      .map((observation) => disguiseObservation(observation, disguise))
      .sort(byText(({ kind, scope }) => scopeKey(kind, scope))),
    ...(snapshot.usage && { usage: disguiseUsage(snapshot.usage, disguise) }),
    ...(snapshot.logs && { logs: snapshot.logs.map((log) => disguiseLog(log, disguise)).sort(byText(logKey)) }),
  };
}

/** Visits every text and every label of an object. */
function walk(
  value: unknown,
  path: readonly string[],
  onText: (text: string, path: readonly string[]) => void,
  onLabel: (label: string) => void,
): void {
  if (typeof value === 'string') onText(value, path);
  else if (Array.isArray(value)) for (const item of value) walk(item, path, onText, onLabel);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (isLabelMap(path)) onLabel(key);
      walk(item, [...path, key], onText, onLabel);
    }
  }
}

function disguiseObject(object: RawObject, disguise: Disguise): RawObject {
  const visit = (value: unknown, path: readonly string[]): unknown => {
    if (typeof value === 'string') return disguiseText(value, path, disguise);
    if (Array.isArray(value)) return value.map((item) => visit(item, path));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [disguiseKey(key, path, disguise), visit(item, [...path, key])]),
    );
  };
  return visit(object, []) as RawObject;
}

function disguiseText(text: string, path: readonly string[], disguise: Disguise): string {
  if (path.at(-1) === appliedAnnotation) return JSON.stringify(disguiseObject(JSON.parse(text) as RawObject, disguise));
  if (path.at(-1) === 'fieldPath') return text.replace(/\{[^}]*\}/, (container) => disguise.name(container));
  if (reporters.has(path.at(-1) ?? ''))
    return text.replace(/^[^_]*|_.*$/gs, (part) =>
      part.startsWith('_') ? disguise.name(part) : disguise.speech(part),
    );
  switch (fieldRole(path)) {
    case 'kept':
    case 'driver':
      return text;
    case 'name':
      return disguise.name(text);
    case 'command':
      return disguise.command(text);
    default:
      return disguise.speech(text);
  }
}

/** Sidecars report events as DRIVER_POD_ID. */
const reporters = new Set(['component', 'reportingComponent', 'reportingController']);
const labelMaps = new Set(['labels', 'matchLabels', 'nodeSelector']);

function isLabelMap(path: readonly string[]): boolean {
  return labelMaps.has(path.at(-1) ?? '');
}

function disguiseKey(key: string, path: readonly string[], disguise: Disguise): string {
  if (isLabelMap(path)) return disguise.name(key);
  if (path.includes('fieldsV1'))
    return key.startsWith('f:') || key === '.'
      ? `f:${disguise.speech(key.slice(2))}`.replace(/^f:$/, key)
      : disguise.speech(key);
  // The keys of quotas contain names of classes.
  return ['hard', 'used'].includes(path.at(-1) ?? '') ? disguise.speech(key) : key;
}

function disguiseObservation(observation: Observation, disguise: Disguise): Observation {
  const { kind, scope, message } = observation;
  const { namespace, name, fieldSelector, labelSelector, first } = scope;
  const disguised: Scope = {
    ...(first !== undefined && { first }),
    ...(namespace !== undefined && { namespace: disguise.name(namespace) }),
    ...(name !== undefined && { name: kind === 'CSIDriver' ? name : disguise.name(name) }),
    ...(fieldSelector !== undefined && { fieldSelector: afterEquals(fieldSelector, disguise) }),
    ...(labelSelector !== undefined && { labelSelector: disguise.name(labelSelector) }),
  };
  return { ...observation, scope: disguised, ...(message !== undefined && { message: disguise.speech(message) }) };
}

function disguiseUsage({ volumes, attempts }: UsageSurvey, disguise: Disguise): UsageSurvey {
  return {
    volumes: volumes.map((usage) => ({
      ...usage,
      namespace: disguise.name(usage.namespace),
      claim: disguise.name(usage.claim),
      source: disguise.speech(usage.source),
    })),
    attempts: attempts.map((attempt) => ({
      ...attempt,
      source: disguise.speech(attempt.source),
      ...(attempt.message !== undefined && { message: disguise.speech(attempt.message) }),
    })),
  };
}

/** The value is no name; the phase of a pod is none either. */
function afterEquals(selector: string, disguise: Disguise): string {
  return selector
    .split(',')
    .map((part) => {
      const [field = '', value] = part.split('=', 2);
      return value === undefined || field === 'status.phase' ? part : `${field}=${disguise.name(value)}`;
    })
    .join(',');
}

const placeKinds = new Set(['Node', 'Namespace', 'PersistentVolumeClaim', 'StorageClass']);
const programKinds = new Set(['Pod', 'Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Lease', 'CSIDriver']);

/** The programs of a driver are recognised by the words of its name; nodes, namespaces, claims and classes are not. */
function renamePlaces({ objects }: Snapshot, disguise: Disguise): void {
  const programs = new Set(
    objects
      .filter(({ kind, metadata }) => programKinds.has(kind) && metadata.namespace !== 'kube-node-lease')
      .map(({ metadata }) => metadata.name),
  );
  for (const { kind, metadata } of objects)
    if (placeKinds.has(kind) && !programs.has(metadata.name)) disguise.renameKept(metadata.name);
}

/** More pairs of volumes and nodes would take too long. */
const mostPairs = 2_000_000;

/** The name of an attachment is a hash of handle, driver and node, so its new name is computed from the new ones. */
function renameAttachments(snapshot: Snapshot, disguise: Disguise): void {
  const wanted = new Set([
    ...snapshot.objects.filter(({ kind }) => kind === 'VolumeAttachment').map(({ metadata }) => metadata.name),
    ...snapshot.observations.flatMap(({ kind, scope }) =>
      kind === 'VolumeAttachment' && scope.name !== undefined ? [scope.name] : [],
    ),
  ]);
  const volumes = snapshot.objects
    .filter(({ kind }) => kind === 'PersistentVolume')
    .map((volume) => (volume['spec'] as Fields | undefined)?.['csi'])
    .filter(isCsi);
  const nodes = new Set(
    snapshot.objects.flatMap((object) =>
      object.kind === 'Node' || object.kind === 'CSINode' ? [object.metadata.name] : nodesIn(object),
    ),
  );
  if (wanted.size === 0 || volumes.length * nodes.size > mostPairs) return;
  for (const { volumeHandle, driver } of volumes) {
    for (const node of nodes) {
      const name = attachmentName(volumeHandle, driver, node);
      if (wanted.has(name))
        disguise.rename(name, attachmentName(disguise.name(volumeHandle), driver, disguise.name(node)));
    }
  }
}

function isCsi(csi: unknown): csi is { readonly volumeHandle: string; readonly driver: string } {
  return (
    typeof csi === 'object' &&
    csi !== null &&
    typeof (csi as Fields)['volumeHandle'] === 'string' &&
    typeof (csi as Fields)['driver'] === 'string'
  );
}

function nodesIn(object: RawObject): string[] {
  const node = (object['spec'] as Fields | undefined)?.['nodeName'];
  return typeof node === 'string' && (object.kind === 'VolumeAttachment' || object.kind === 'Pod') ? [node] : [];
}
