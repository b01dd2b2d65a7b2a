import type { Redaction } from '../../core/report/capture.ts';
import type { Observation, RawObject, Scope, Snapshot } from '../../core/kube/snapshot.ts';
import { scopeKey } from '../../core/kube/snapshot.ts';
import type { UsageSurvey, VolumeUsage } from '../../core/kube/volume-usage.ts';
import { logKey } from '../../core/kube/container-log.ts';
import type { ContainerLog } from '../../core/kube/container-log.ts';
import { objectKey } from '../identify.ts';
import { annotationsInTemplates } from './annotations.ts';
import { detect } from './detect.ts';
import type { Detection } from './detect.ts';
import { redactObject } from './redact-object.ts';
import { redacted, scrub } from './credentials.ts';
import { scrubLog } from './scrub-log.ts';
import { byText, sortFields } from './sort-fields.ts';

export interface Capture {
  readonly snapshot: Snapshot;
  readonly redactions: readonly Redaction[];
  /** What a second, independent look still found, and removed. */
  readonly detections: readonly Detection[];
}

/** What may be written to a file: redacted and sorted, so that the same cluster gives the same bytes. */
export function makeCapture(snapshot: Snapshot): Capture {
  const identifiers = identifiersOf(snapshot);
  const isIdentifier = (text: string): boolean => identifiers.has(text);
  const values = new Set<string>();
  const redactions: Redaction[] = [];
  const detections: Detection[] = [];
  const options = {
    isIdentifier,
    inTemplates: annotationsInTemplates(snapshot.objects),
    onValue: (value: string, isCredential: boolean) => {
      const parts = value.trim().split(/\s+/);
      for (const part of parts)
        if (isTelling(part, isCredential && parts.length === 1) && !isIdentifier(part)) values.add(part);
    },
    onRedaction: (redaction: Redaction) => void redactions.push(redaction),
  };
  const objects = snapshot.objects
    .map((object) => redactObject(object, options))
    .filter((object) => object !== undefined);
  const withoutValues = quotedValues(values);
  return {
    snapshot: {
      apiVersion: snapshot.apiVersion,
      kind: snapshot.kind,
      takenAt: snapshot.takenAt,
      source: { type: 'capture', name: scrub(snapshot.source.name) },
      ...(snapshot.serverVersion !== undefined && { serverVersion: snapshot.serverVersion }),
      objects: objects
        .map((object) => detect(withoutValues(object), isIdentifier, (found) => void detections.push(found)))
        .map((object) => sortFields(object) as RawObject)
        .sort(byText(objectKey)),
      observations: snapshot.observations
        .map((observation) => sortFields(tidy(observation)) as Observation)
        .sort(byText(({ kind, scope }) => scopeKey(kind, scope))),
      ...(snapshot.usage && { usage: tidyUsage(snapshot.usage) }),
      ...(snapshot.logs && {
        logs: snapshot.logs
          .map((log) => redactLog(log, withoutValues, isIdentifier, (found) => void detections.push(found)))
          .sort(byText(logKey)),
      }),
    },
    redactions: redactions.sort(byText(({ object, path }) => `${object} ${path}`)),
    detections: detections.sort(byText(({ object, path, form }) => `${object} ${path} ${form}`)),
  };
}

/** The lines were scrubbed when they were read; values that were removed elsewhere are searched in them too. */
function redactLog(
  log: ContainerLog,
  withoutValues: <T>(value: T) => T,
  isIdentifier: (text: string) => boolean,
  onDetection: (detection: Detection) => void,
): ContainerLog {
  const { lines, ...rest } = scrubLog(log);
  const { namespace, pod, container } = log;
  const place = { kind: 'log', metadata: { namespace, name: `${pod}/${container}` } };
  const safe = detect({ ...place, lines: withoutValues(lines) }, isIdentifier, onDetection);
  return sortFields({ ...rest, lines: safe.lines }) as ContainerLog;
}

/** Amounts, and the sources in words; an address may hold a login. */
function tidyUsage({ volumes, attempts }: UsageSurvey): UsageSurvey {
  return {
    volumes: volumes
      .map((usage) => sortFields({ ...usage, source: scrub(usage.source) }) as VolumeUsage)
      .sort(byText(({ namespace, claim }) => `${namespace}/${claim}`)),
    attempts: attempts.map(({ source, state, message }) => ({
      source: scrub(source),
      state,
      ...(message !== undefined && { message: scrub(message) }),
    })),
  };
}

function tidy({ kind, scope, state, message, looked }: Observation): Observation {
  return {
    kind,
    scope,
    state,
    ...(message !== undefined && { message: scrub(message) }),
    ...(looked !== undefined && { looked }),
  };
}

/** Removed values are also searched in messages of controllers and drivers; a plain word would be found everywhere. */
function isTelling(value: string, isCredential: boolean): boolean {
  if (isCredential && value.length >= 4) return !/^(?:true|false|none|null|admin|root|default|\d{1,5})$/i.test(value);
  return (
    value.length >= 8 &&
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    !/^(?:v?\d+(?:\.\d+)+|\d+[KMGTP]i?|\d{4}-\d\d-\d\dT.*|\/.*)$/.test(value)
  );
}

/** Fields that name objects are not changed: a password that is also a name would break the references to it. */
function quotedValues(values: ReadonlySet<string>): <T>(object: T) => T {
  if (values.size === 0) return (object) => object;
  const longestFirst = [...values].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const replace = (value: unknown): unknown => {
    if (typeof value === 'string')
      return longestFirst.reduce(
        (text, secret) => (text.includes(secret) ? text.replaceAll(secret, redacted) : text),
        value,
      );
    if (Array.isArray(value)) return value.map(replace);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceField(key, item)]));
  };
  const replaceField = (key: string, item: unknown): unknown => {
    if (key === 'metadata') return replaceAnnotations(item);
    return key === 'name' || key === 'uid' ? item : replace(item);
  };
  const replaceAnnotations = (metadata: unknown): unknown => {
    const { annotations } = metadata as { readonly annotations?: unknown };
    return annotations === undefined ? metadata : { ...(metadata as object), annotations: replace(annotations) };
  };
  return <T>(object: T) => replace(object) as T;
}

const identifyingFields =
  /^(?:name|namespace|uid|provisioner|driver|driverName|attacher|volumeHandle|snapshotHandle|volumeGroupSnapshotHandle|nodeID|holderIdentity|providerID|image|hostPath|path|\w+Name)$/;

/** All names of objects, and all names by which objects refer to each other. */
function identifiersOf(snapshot: Snapshot): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (value: unknown, key: string): void => {
    if (typeof value === 'string') {
      if (identifyingFields.test(key)) found.add(value);
    } else if (Array.isArray(value)) for (const item of value) visit(item, key);
    else if (typeof value === 'object' && value !== null)
      for (const [field, item] of Object.entries(value))
        if (
          field !== 'fieldsV1' &&
          field !== 'env' &&
          field !== 'parameters' &&
          field !== 'volumeAttributes' &&
          field !== 'annotations'
        )
          visit(item, field);
  };
  for (const object of snapshot.objects) visit(object, '');
  const ofScope = ({ namespace, name }: Scope): void =>
    [namespace, name].forEach((text) => text !== undefined && found.add(text));
  for (const { scope } of snapshot.observations) ofScope(scope);
  return found;
}
