import { absent, eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Pod, PodVolume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { parseTime } from '../../kube/time.ts';
import { nearestName } from '../../kube/names.ts';
import { changePodFix } from '../lib/pod-change.ts';
import type { Explanation } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { createSourceCommand } from '../lib/create-source.ts';
import { createdEvidence, explainOver, isHistory, writtenAt } from './after-repair.ts';
import { isLeftOut } from './left-out.ts';
import { failureOf, isMountedOrSilent, mountFailuresOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { podWords, toldVolume, volumeWords } from './told-volume.ts';
import { missingKeyText } from '../lib/driver-error/sentences/kubelet.ts';

type SourceKind = 'Secret' | 'ConfigMap';

/** What the two kinds are called in pods and by the kubelet's failures. */
const namesOf = {
  Secret: {
    field: 'secret',
    nameField: 'secretName',

    missing: 'secretVolume',
    keyMissing: 'secretKey',
  },
  ConfigMap: {
    field: 'configMap',
    nameField: 'name',

    missing: 'configMap',
    keyMissing: 'configKey',
  },
} as const;

/** A Secret or ConfigMap that a volume of the pod needs. */
interface PodSource {
  readonly name: string;
  readonly volume: string;
  /** Where the pod names it. */
  readonly path: string;
}

/** Every pod has it and the controller manager creates it, so it is read only if something mentions it. */
const rootCertificates = 'kube-root-ca.crt';

function sourcesOf({ spec }: Pod, kind: SourceKind): PodSource[] {
  return (spec?.volumes ?? []).flatMap((volume) =>
    [...plainSources(volume, kind), ...projectedSources(volume, kind)].filter(({ name }) => name !== ''),
  );
}

function plainSources(volume: PodVolume, kind: SourceKind): PodSource[] {
  const { field: key, nameField } = namesOf[kind];
  const source = volume[key];
  if (!source || source.optional === true) return [];
  const path = `spec.volumes[${volume.name ?? ''}].${key}.${nameField}`;
  return [{ name: source[nameField] ?? '', path, volume: volume.name ?? '' }];
}

function projectedSources({ name: volume = '', projected }: PodVolume, kind: SourceKind): PodSource[] {
  const { field: key } = namesOf[kind];
  const path = `spec.volumes[${volume}].projected.sources[].${key}.name`;
  return (projected?.sources ?? []).flatMap(({ [key]: source }) =>
    source && source.optional !== true ? [{ name: source.name ?? '', path, volume }] : [],
  );
}

interface MissingSource extends PodSource {
  readonly isProven: boolean;
  readonly failure: MountFailure | undefined;
}

function findMissingSources(p: PodCase, kind: SourceKind): MissingSource[] {
  const failures = mountFailuresOf(p).filter((failure) => failure.kind === namesOf[kind].missing);
  return sourcesOf(p.pod, kind).flatMap((source): MissingSource[] => {
    const failure = failures.find(({ text }) => text.includes(`"${source.name}"`) || text.includes(`/${source.name} `));
    if (!failure && (!isWorthAsking(p, source) || isMountedOrSilent(p, source.volume))) return [];
    const { state } = p.ask.get(
      kind,
      p.pod.metadata.namespace ?? '',
      source.name,
      `whether ${kind.toLowerCase()} ${source.name}, which ${podWords(p)} mounts, exists`,
    );
    if (state === 'found') return [];
    const isSuspect = failure !== undefined || (kind === 'Secret' && isLeftOut(p, kind));
    return state === 'missing' || isSuspect ? [{ ...source, isProven: state === 'missing', failure }] : [];
  });
}

function isWorthAsking(p: PodCase, { name }: PodSource): boolean {
  if (name !== rootCertificates) return true;
  const namespace = p.pod.metadata.namespace ?? '';
  return p.ask
    .seen('ConfigMap')
    .some(({ metadata }) => metadata.name === rootCertificates && metadata.namespace !== namespace);
}

export function explainMissingSource(p: PodCase, kind: SourceKind): Explanation | undefined {
  const missing = findMissingSources(p, kind);
  const [first] = missing;
  if (!first) return explainAppeared(p, kind);
  const namespace = p.pod.metadata.namespace ?? '';
  const { confidence, words } = judgeProof(first);
  const [, ...others] = new Set(missing.map(({ name }) => name));
  return {
    confidence,
    about: `${namespace}/${first.name}`,
    summary:
      `${kind} "${first.name}", which volume "${first.volume}" of ${podWords(p)} needs, ` +
      `${words}${others.length > 0 ? ` (nor ${others.join(', ')})` : ''}. ` +
      'The whole pod waits for it; persistent storage is not involved.',
    evidence: [
      field(p.pod, first.path, first.name),
      ...missing.filter(({ isProven }) => isProven).map(({ name }) => absent(kind, name, namespace)),
      ...missing.flatMap(({ failure }) => (failure ? [eventSaid(p.pod, failure.event)] : [])).slice(0, 2),
    ],
    fix: missingSourceFixes(p, kind, namespace, first),
  };
}

function judgeProof({ isProven, failure }: MissingSource): Pick<Explanation, 'confidence'> & { words: string } {
  if (isProven) return { confidence: 'certain', words: 'does not exist in that namespace' };
  if (failure) return { confidence: 'likely', words: 'was not found by the kubelet' };
  return { confidence: 'possible', words: 'is not in the dump' };
}

/** The kubelet did not find it when it last tried, and it was created since. */
function explainAppeared(p: PodCase, kind: SourceKind): Explanation | undefined {
  const failures = mountFailuresOf(p).filter((failure) => failure.kind === namesOf[kind].missing);
  for (const { name } of failures.length > 0 ? sourcesOf(p.pod, kind) : []) {
    const object = p.ask.graph.find(kind, p.pod.metadata.namespace, name);
    const failure = failures.find(({ text }) => text.includes(`"${name}"`) || text.includes(`/${name} `));
    if (object && failure && isHistory(p, failure, parseTime(object.metadata.creationTimestamp)))
      return explainOver(p, `${kind} "${name}" exists now.`, [
        createdEvidence(object),
        eventSaid(p.pod, failure.event),
      ]);
  }
  return undefined;
}

function missingSourceFixes(p: PodCase, kind: SourceKind, namespace: string, source: PodSource): Fix[] {
  const { name } = source;
  const near = nearestName(
    name,
    p.ask
      .seen(kind)
      .filter(({ metadata }) => metadata.namespace === namespace)
      .map(({ metadata }) => metadata.name),
  );
  const create = steps(
    `Create ${kind} "${name}" with the keys that the application reads. ` +
      'PLACEHOLDER_KEY and PLACEHOLDER_FILE: a key and the file with its content. ' +
      'The kubelet mounts it within about 2 minutes; no new pod is needed.',
    [createSourceCommand(kind, namespace, name)],
  );
  return [
    ...(near === undefined ? [] : [renameFix(p, kind, source, near)]),
    near === undefined ? create : { ...create, text: `Otherwise c${create.text.slice(1)}` },
    optionalFix(p, kind, source),
  ].filter((fix) => fix !== undefined);
}

function isProjected({ path }: PodSource): boolean {
  return path.includes('.projected.');
}

function renameFix(p: PodCase, kind: SourceKind, source: PodSource, near: string): Fix {
  const { field: key, nameField } = namesOf[kind];
  if (isProjected(source))
    return steps(
      `If ${kind} "${near}" is meant, correct the name in volume "${source.volume}" where the pod is defined.`,
      [],
    );
  return changePodFix(
    p.pod,
    { volumes: [{ name: source.volume, [key]: { [nameField]: near } }] },
    (where) => `If ${kind} "${near}" is meant, correct the name ${where}.`,
  );
}

function optionalFix(p: PodCase, kind: SourceKind, source: PodSource): Fix | undefined {
  const { field: key, nameField } = namesOf[kind];
  if (isProjected(source)) return undefined;
  return changePodFix(
    p.pod,
    { volumes: [{ name: source.volume, [key]: { [nameField]: source.name, optional: true } }] },
    (where) => `If the application can do without it, mark it as optional ${where}.`,
  );
}

/** The contents of secrets and config maps are never read, so only the kubelet can report a missing key. */
export function explainMissingKey(p: PodCase, kind: SourceKind): Explanation | undefined {
  const failure = failureOf(p, namesOf[kind].keyMissing);
  if (!failure) return undefined;
  const key = missingKeyText.exec(failure.text)?.[1] ?? '';
  const use = toldVolume(p, failure);
  const source = sourcesOf(p.pod, kind).find(({ volume }) => volume === use?.name);
  const namespace = p.pod.metadata.namespace ?? '';
  const object = source && p.ask.graph.find(kind, namespace, source.name);
  if (object && isHistory(p, failure, writtenAt(object)))
    return explainOver(p, `${kind} "${object.metadata.name}" was changed after the last try.`, [
      eventSaid(p.pod, failure.event),
      createdEvidence(object),
    ]);
  return {
    confidence: 'likely',
    ...(source && { about: `${namespace}/${source.name}/${key}` }),
    summary:
      `${kind}${source ? ` "${source.name}"` : ''} has no key "${key}", which ${volumeWords(use, failure)} of ` +
      `${podWords(p)} names. Persistent storage is not involved.`,
    evidence: [eventSaid(p.pod, failure.event), ...(source ? [field(p.pod, source.path, source.name)] : [])],
    fix: [addKeyFix(kind, namespace, source?.name, key)],
  };
}

function addKeyFix(kind: SourceKind, namespace: string, name: string | undefined, key: string): Fix {
  const text =
    `Add key "${key}" to ${kind}${name === undefined ? '' : ` "${name}"`}, or correct the items of the ` +
    'volume. PLACEHOLDER_VALUE is its content. ' +
    'The kubelet mounts it within about 2 minutes; no new pod is needed.';
  if (name === undefined || key === '') return steps(text, []);
  const data =
    kind === 'Secret' ? { stringData: { [key]: 'PLACEHOLDER_VALUE' } } : { data: { [key]: 'PLACEHOLDER_VALUE' } };
  return steps(text, [patchCommand({ kind, metadata: { name, namespace } }, data)]);
}
