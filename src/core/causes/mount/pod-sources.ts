import type { Pod } from '../../kube/kinds.ts';
import { absent, eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { isLeftOut } from './left-out.ts';
import { failureOf, mountFailuresOf } from './mount-failure.ts';
import type { FailureKind } from '../lib/driver-error/kubelet-complaint.ts';
import type { MountFailure } from './mount-failure.ts';
import { podWords, toldVolume, volumeWords } from './told-volume.ts';

type SourceKind = 'Secret' | 'ConfigMap';

/** A Secret or ConfigMap that a volume of the pod cannot do without. */
interface PodSource {
  readonly kind: SourceKind;
  readonly name: string;
  readonly volume: string;
  readonly path: string;
}

/** Every pod has it, and the controller manager makes it: not worth a question unless the kubelet complains. */
const rootCertificates = 'kube-root-ca.crt';

function sourcesOf({ spec }: Pod, kind: SourceKind): PodSource[] {
  return (spec?.volumes ?? []).flatMap((volume): PodSource[] => {
    const plain = kind === 'Secret' ? volume.secret : volume.configMap;
    const key = kind === 'Secret' ? 'secret' : 'configMap';
    const at = `spec.volumes[${volume.name ?? ''}]`;
    const own =
      plain && plain.optional !== true
        ? [
            {
              name: (kind === 'Secret' ? plain.secretName : plain.name) ?? '',
              path: `${at}.${key}.${kind === 'Secret' ? 'secretName' : 'name'}`,
            },
          ]
        : [];
    const projected = (volume.projected?.sources ?? []).flatMap((source) =>
      source[key] && source[key].optional !== true
        ? [{ name: source[key].name ?? '', path: `${at}.projected.sources[].${key}.name` }]
        : [],
    );
    return [...own, ...projected]
      .filter(({ name }) => name !== '')
      .map(({ name, path }) => ({ kind, name, path, volume: volume.name ?? '' }));
  });
}

interface MissingSource extends PodSource {
  readonly isProven: boolean;
  readonly said: MountFailure | undefined;
}

function missingSources(p: PodCase, kind: SourceKind, failureKind: FailureKind): MissingSource[] {
  const namespace = p.pod.metadata.namespace ?? '';
  const said = mountFailuresOf(p).filter((failure) => failure.kind === failureKind);
  const isTold = (name: string) => said.find(({ text }) => text.includes(`"${name}"`) || text.includes(`/${name} `));
  const isWorthAsking = ({ name }: PodSource): boolean =>
    name !== rootCertificates ||
    isTold(name) !== undefined ||
    p.ask
      .seen('ConfigMap')
      .some(({ metadata }) => metadata.name === rootCertificates && metadata.namespace !== namespace);
  return sourcesOf(p.pod, kind)
    .filter(isWorthAsking)
    .flatMap((source): MissingSource[] => {
      const failure = isTold(source.name);
      const { state } = p.ask.get(
        kind,
        namespace,
        source.name,
        `whether ${kind.toLowerCase()} ${source.name}, which ${podWords(p)} mounts, exists`,
      );
      if (state === 'found' || (state === 'unknown' && !failure && !(kind === 'Secret' && isLeftOut(p, kind))))
        return [];
      return [{ ...source, isProven: state === 'missing', said: failure }];
    });
}

function explainMissing(p: PodCase, kind: SourceKind, failureKind: FailureKind): Explanation | undefined {
  const missing = missingSources(p, kind, failureKind);
  const [first] = missing;
  if (!first) return undefined;
  const namespace = p.pod.metadata.namespace ?? '';
  const noun = kind === 'Secret' ? 'secret' : 'config map';
  const names = [...new Set(missing.map(({ name }) => name))];
  const others = names.length > 1 ? ` (${names.slice(1).join(', ')} as well)` : '';
  const resource = kind === 'Secret' ? 'secret' : 'configmap';
  return {
    confidence: first.isProven ? 'certain' : first.said ? 'likely' : 'possible',
    about: `${namespace}/${first.name}`,
    summary: `${noun} ${first.name} in namespace ${namespace}, which volume ${first.volume} of ${podWords(p)} needs, ${first.isProven ? 'does not exist' : first.said ? 'was not found by the kubelet' : 'is not in the dump'}${others}: the whole pod waits for it, not for its storage`,
    evidence: [
      field(p.pod, first.path, first.name),
      ...missing.filter(({ isProven }) => isProven).map(({ name }) => absent(kind, name, namespace)),
      ...missing.flatMap(({ said }) => (said ? [eventSaid(p.pod, said.event)] : [])).slice(0, 2),
    ],
    fix: [
      fix(
        `create ${noun} ${first.name}: the pod then goes on by itself`,
        `kubectl ${inNamespace(namespace)}get ${resource}s`,
      ),
      fix(`or mark it optional in the pod's template, if the program can do without`, undefined, 'disruptive'),
    ],
  };
}

export const mountSecretVolumeMissing = podRule({
  cause: 'mount-secret-volume-missing',
  stage: 'mount',
  severity: 'blocking',
  explain: (p) => explainMissing(p, 'Secret', 'secretVolume'),
});
export const mountConfigmapMissing = podRule({
  cause: 'mount-configmap-missing',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    return explainMissing(p, 'ConfigMap', 'configMap') ?? explainKey(p, 'configKey', 'config map');
  },
});

/** Contents are never read: that a key is not there, only the kubelet can say. */
function explainKey(p: PodCase, kind: FailureKind, noun: string): Explanation | undefined {
  const failure = failureOf(p, kind);
  if (!failure) return undefined;
  const key = /non-existent (?:secret|config) key: (\S+)/.exec(failure.text)?.[1] ?? '';
  const use = toldVolume(p, failure);
  const source = sourcesOf(p.pod, kind === 'secretKey' ? 'Secret' : 'ConfigMap').find(
    ({ volume }) => volume === use?.name,
  );
  const resource = kind === 'secretKey' ? 'secret' : 'configmap';
  return {
    confidence: 'likely',
    ...(source && { about: `${p.pod.metadata.namespace ?? ''}/${source.name}/${key}` }),
    summary:
      `${noun} ${source?.name ?? ''} has no key ${key}, which ${volumeWords(use, failure)} of ${podWords(p)} names`.replace(
        '  ',
        ' ',
      ),
    evidence: [eventSaid(p.pod, failure.event), ...(source ? [field(p.pod, source.path, source.name)] : [])],
    fix: [
      fix(
        `add key ${key} to the ${noun}, or correct the items of the volume`,
        source && `kubectl ${inNamespace(p.pod.metadata.namespace)}describe ${resource} ${shellWord(source.name)}`,
      ),
    ],
  };
}

export const mountSecretKeyMissing = podRule({
  cause: 'mount-secret-key-missing',
  stage: 'mount',
  severity: 'blocking',
  explain: (p) => explainKey(p, 'secretKey', 'secret'),
});

/** Tokens, certificates and what the kubelet has not seen yet: several sources end in one error (pkg/volume/projected). */
export const mountProjectedFailed = podRule({
  cause: 'mount-projected-failed',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'projected');
    if (!failure) return undefined;
    const account = /serviceaccounts? "([^"]+)" not found/i.exec(failure.text)?.[1];
    const unseen = /object "([^"]*)"\/"([^"]*)" not registered/.exec(failure.text);
    const words = volumeWords(toldVolume(p, failure), failure);
    const why =
      account !== undefined
        ? `service account ${account} does not exist, so no token can be made for it`
        : unseen
          ? `the kubelet does not know ${unseen[2] ?? ''} of namespace ${unseen[1] ?? ''} yet, which ends by itself unless the pod is on its way out`
          : /token/i.test(failure.text)
            ? 'the API server gives the kubelet no token for the service account'
            : 'one of its sources cannot be had';
    return {
      confidence: 'likely',
      ...(account !== undefined && { about: `${p.pod.metadata.namespace ?? ''}/${account}` }),
      summary: `${words} of ${podWords(p)} cannot be filled: ${why}`,
      evidence: [eventSaid(p.pod, failure.event)],
      fix: [
        account === undefined
          ? fix(
              'make each source that the message names',
              `kubectl ${inNamespace(p.pod.metadata.namespace)}describe pod ${shellWord(p.pod.metadata.name)}`,
            )
          : fix(
              `create service account ${account}`,
              `kubectl ${inNamespace(p.pod.metadata.namespace)}create serviceaccount ${shellWord(account)}`,
            ),
      ],
    };
  },
});

/** A driver that asks for tokens of the pod's service account (CSIDriver.spec.tokenRequests) gets none. */
export const mountTokenRequest = podRule({
  cause: 'mount-token-request',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'token');
    if (!failure) return undefined;
    const use = toldVolume(p, failure);
    const driver = use?.driver;
    const object =
      driver === undefined ? undefined : p.ask.get('CSIDriver', undefined, driver, `which tokens ${driver} asks for`);
    const account = p.pod.spec?.serviceAccountName ?? 'default';
    return {
      confidence: 'likely',
      summary: `${driver ?? 'the driver'} wants a token of service account ${account}, and the kubelet gets none for ${volumeWords(use, failure)} of ${podWords(p)}`,
      evidence: [
        eventSaid(p.pod, failure.event),
        field(p.pod, 'spec.serviceAccountName', account),
        ...(object?.state === 'found' ? [field(object.object, 'spec.tokenRequests')] : []),
      ],
      fix: [
        fix(
          'check that the service account exists, and that the API server issues tokens for the audiences that the driver asks for',
          `kubectl ${inNamespace(p.pod.metadata.namespace)}get serviceaccount ${shellWord(account)}`,
        ),
      ],
    };
  },
});
