import { absent, eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Evidence } from '../../report/report.ts';
import { isLeftOut } from './left-out.ts';
import { mountFailuresOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { podWords, toldVolume, volumeWords } from './told-volume.ts';

interface NamedSecret {
  readonly name: string;
  readonly namespace: string;
  readonly use: VolumeUse | undefined;
  readonly evidence: readonly Evidence[];
  readonly said: MountFailure | undefined;
}

/** The kubelet hands the driver the secrets that the volume names (kcsi csi_util.go getCredentialsFromSecret). */
export const mountSecretMissing = podRule({
  cause: 'mount-secret-missing',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    for (const secret of namedSecrets(p)) {
      const { name, namespace, use, said } = secret;
      const { state } = p.ask.get(
        'Secret',
        namespace,
        name,
        `whether secret ${namespace}/${name}, which ${volumeWords(use)} names, exists`,
      );
      if (state === 'found' || (state === 'unknown' && !said && !isLeftOut(p, 'Secret'))) continue;
      const isProven = state === 'missing';
      const evidence = [
        ...secret.evidence,
        ...(isProven ? [absent('Secret', name, namespace)] : []),
        ...(said ? [eventSaid(p.pod, said.event)] : []),
      ];
      const [first, ...rest] = evidence;
      if (!first) continue;
      const finding = isProven
        ? 'does not exist'
        : said
          ? 'was not found by the kubelet'
          : 'is not in the dump, and nothing else explains the wait';
      return {
        confidence: isProven ? 'certain' : said ? 'likely' : 'possible',
        about: `${namespace}/${name}`,
        summary: `secret ${name} in namespace ${namespace}, which ${volumeWords(use)} of ${podWords(p)} needs for mounting, ${finding}`,
        evidence: [first, ...rest],
        fix: [
          fix(
            'create the secret as the documentation of the driver says: the pod then goes on by itself, and a volume cannot be pointed to another one',
            `kubectl ${inNamespace(namespace)}get secret ${shellWord(name)}`,
          ),
          ...(use?.volumeObject
            ? [
                fix(
                  'see which secrets the volume names; its class gave them',
                  `kubectl get pv ${shellWord(use.volumeObject.metadata.name)} -o jsonpath='{.spec.csi}'`,
                ),
              ]
            : []),
        ],
      };
    }
    return undefined;
  },
});

function namedSecrets(p: PodCase): NamedSecret[] {
  const said = mountFailuresOf(p).filter(({ kind }) => kind === 'secretReference');
  const toldOf = (name: string): MountFailure | undefined =>
    said.find(
      ({ text }) => text.includes(`/${name} `) || text.includes(`secret ${name} `) || text.includes(`"${name}"`),
    );
  const named = volumeUsesOf(p).flatMap((use): NamedSecret[] => {
    const inline = use.podVolume.csi?.nodePublishSecretRef?.name;
    if (inline)
      return [
        {
          name: inline,
          namespace: p.pod.metadata.namespace ?? '',
          use,
          evidence: [field(p.pod, `spec.volumes[${use.name}].csi.nodePublishSecretRef.name`, inline)],
          said: toldOf(inline),
        },
      ];
    const volume = use.volumeObject;
    return (['nodeStageSecretRef', 'nodePublishSecretRef'] as const).flatMap((key): NamedSecret[] => {
      const reference = volume?.spec?.csi?.[key];
      if (!volume || !reference?.name || !reference.namespace) return [];
      return [
        {
          name: reference.name,
          namespace: reference.namespace,
          use,
          evidence: [field(volume, `spec.csi.${key}`, `${reference.namespace}/${reference.name}`)],
          said: toldOf(reference.name),
        },
      ];
    });
  });
  // Who may not read volumes still hears the name from the kubelet.
  const heard = said.flatMap((failure): NamedSecret[] => {
    const match =
      /SecretRef ([^\s/]+)\/(\S+) failed/.exec(failure.text) ??
      /failed to find the secret (?<name>\S+) in the namespace (?<namespace>\S+)/.exec(failure.text);
    const namespace = match?.groups?.['namespace'] ?? match?.[1] ?? '';
    const name = match?.groups?.['name'] ?? match?.[2] ?? '';
    return name === '' || named.some((secret) => secret.name === name)
      ? []
      : [{ name, namespace, use: toldVolume(p, failure), evidence: [], said: failure }];
  });
  return [...named, ...heard];
}
