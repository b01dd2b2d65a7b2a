import { absent, eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Pod, PodVolume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { Explanation } from '../lib/rule.ts';
import { isLeftOut } from './left-out.ts';
import { failureOf, mountFailuresOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { podWords, toldVolume, volumeWords } from './told-volume.ts';

type SourceKind = 'Secret' | 'ConfigMap';

/** What the two kinds are called in pods, in sentences, on command lines and by the kubelet's failures. */
const namesOf = {
  Secret: {
    field: 'secret',
    nameField: 'secretName',
    noun: 'secret',
    resource: 'secret',
    missing: 'secretVolume',
    keyMissing: 'secretKey',
  },
  ConfigMap: {
    field: 'configMap',
    nameField: 'name',
    noun: 'config map',
    resource: 'configmap',
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

/** Every pod has it and the controller manager creates it, so it is asked for only if something speaks of it. */
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
    if (!failure && !isWorthAsking(p, source)) return [];
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
  if (!first) return undefined;
  const namespace = p.pod.metadata.namespace ?? '';
  const { confidence, words } = judgeProof(first);
  const [, ...others] = new Set(missing.map(({ name }) => name));
  return {
    confidence,
    about: `${namespace}/${first.name}`,
    summary: `${namesOf[kind].noun} ${first.name} in namespace ${namespace}, which volume ${first.volume} of ${podWords(p)} needs, ${words}${others.length > 0 ? ` (${others.join(', ')} as well)` : ''}: the whole pod waits for it, not for its storage`,
    evidence: [
      field(p.pod, first.path, first.name),
      ...missing.filter(({ isProven }) => isProven).map(({ name }) => absent(kind, name, namespace)),
      ...missing.flatMap(({ failure }) => (failure ? [eventSaid(p.pod, failure.event)] : [])).slice(0, 2),
    ],
    fix: missingSourceFixes(kind, namespace, first),
  };
}

function judgeProof({ isProven, failure }: MissingSource): Pick<Explanation, 'confidence'> & { words: string } {
  if (isProven) return { confidence: 'certain', words: 'does not exist' };
  if (failure) return { confidence: 'likely', words: 'was not found by the kubelet' };
  return { confidence: 'possible', words: 'is not in the dump' };
}

function missingSourceFixes(kind: SourceKind, namespace: string, { name }: PodSource): Fix[] {
  const { noun, resource } = namesOf[kind];
  return [
    fix(`create ${noun} ${name}: the pod then goes on by itself`, `kubectl ${inNamespace(namespace)}get ${resource}s`),
    fix(`or mark it optional in the pod's template, if the program can do without`, undefined, 'disruptive'),
  ];
}

/** The contents of secrets and config maps are never read, so only the kubelet can report a missing key. */
export function explainMissingKey(p: PodCase, kind: SourceKind): Explanation | undefined {
  const { noun, resource, keyMissing } = namesOf[kind];
  const failure = failureOf(p, keyMissing);
  if (!failure) return undefined;
  const key = /non-existent (?:secret|config) key: (\S+)/.exec(failure.text)?.[1] ?? '';
  const use = toldVolume(p, failure);
  const source = sourcesOf(p.pod, kind).find(({ volume }) => volume === use?.name);
  const namespace = p.pod.metadata.namespace;
  return {
    confidence: 'likely',
    ...(source && { about: `${namespace ?? ''}/${source.name}/${key}` }),
    summary: `${noun}${source ? ` ${source.name}` : ''} has no key ${key}, which ${volumeWords(use, failure)} of ${podWords(p)} names`,
    evidence: [eventSaid(p.pod, failure.event), ...(source ? [field(p.pod, source.path, source.name)] : [])],
    fix: [
      fix(
        `add key ${key} to the ${noun}, or correct the items of the volume`,
        source && `kubectl ${inNamespace(namespace)}describe ${resource} ${shellWord(source.name)}`,
      ),
    ],
  };
}
