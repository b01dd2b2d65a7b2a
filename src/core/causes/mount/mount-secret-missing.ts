import { absent, eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { parseTime } from '../../kube/time.ts';
import { secretContent } from '../lib/secret-keys.ts';
import { createdEvidence, explainOver, isHistory } from './after-repair.ts';
import { retryWords } from './failed-mount.ts';
import { failureEvidence } from './failure-evidence.ts';
import { isLeftOut } from './left-out.ts';
import { mountFailuresOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { podWords, toldVolume, volumeWords } from './told-volume.ts';
import { secretOfNodeText, secretRefText } from '../lib/driver-error/sentences/kubelet.ts';

/**
 * The kubelet reads the secrets that the volume names and hands them to the driver (kcsi csi_util.go
 * getCredentialsFromSecret).
 */
export const mountSecretMissing = podRule({
  cause: 'mount-secret-missing',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    for (const secret of neededSecrets(p)) {
      const over = explainAppeared(p, secret);
      if (over) return over;
      const proof = judgeSecret(p, secret);
      const [first, ...rest] = proof ? evidenceOf(p, secret, proof) : [];
      if (!proof || !first) continue;
      const { namespace, name, use } = secret;
      return {
        confidence: proof,
        about: `${namespace}/${name}`,
        summary:
          `Secret "${name}", which ${p.pod.spec?.nodeName ?? 'the node'} needs to mount ${volumeWords(use)} for ` +
          `${podWords(p)}, ${proofWords[proof]} in namespace ${namespace}.`,
        evidence: [first, ...rest],
        fix: adviceFor(secret),
      };
    }
    return undefined;
  },
});

type Proof = NonNullable<Explanation['confidence']>;

const proofWords: Readonly<Record<Proof, string>> = {
  certain: 'does not exist',
  likely: 'was not found by the kubelet',
  possible: 'is not in the dump',
};

/** How sure it is that the secret is missing; undefined if nothing indicates it. */
function judgeSecret(p: PodCase, { namespace, name, use, failure }: NeededSecret): Proof | undefined {
  const why = `whether secret ${namespace}/${name}, which ${volumeWords(use)} names, exists`;
  const { state } = p.ask.get('Secret', namespace, name, why);
  if (state === 'found') return undefined;
  if (state === 'missing') return 'certain';
  if (failure) return 'likely';
  return isLeftOut(p, 'Secret') ? 'possible' : undefined;
}

function evidenceOf(p: PodCase, { name, namespace, evidence, failure }: NeededSecret, proof: Proof): Evidence[] {
  return [
    ...evidence,
    ...(proof === 'certain' ? [absent('Secret', name, namespace)] : []),
    ...failureEvidence(p, failure),
  ];
}

/** The secret was created after the kubelet's last try. */
function explainAppeared(p: PodCase, { name, namespace, failure }: NeededSecret): Explanation | undefined {
  const secret = failure && p.ask.graph.find('Secret', namespace, name);
  const since = secret && parseTime(secret.metadata.creationTimestamp);
  if (!secret || !isHistory(p, failure, since)) return undefined;
  return explainOver(p, `Secret "${name}" in namespace ${namespace} exists now.`, [
    createdEvidence(secret),
    eventSaid(p.pod, failure.event),
  ]);
}

function adviceFor({ name, namespace, use }: NeededSecret): Fix[] {
  const reference = use?.volumeObject
    ? ' The volume cannot be pointed to another Secret: its source is immutable.'
    : '';
  const { words, command } = secretContent(use?.driver, namespace, name);
  return [
    steps(`Create Secret "${name}" in namespace ${namespace} with ${words}. ${retryWords}${reference}`, [command]),
  ];
}

interface NeededSecret {
  readonly name: string;
  readonly namespace: string;
  readonly use: VolumeUse | undefined;
  /** Where the volume names it. */
  readonly evidence: readonly Evidence[];
  readonly failure: MountFailure | undefined;
}

function neededSecrets(p: PodCase): NeededSecret[] {
  const failures = mountFailuresOf(p).filter(({ kind }) => kind === 'secretReference');
  const named = volumeUsesOf(p).flatMap((use) =>
    secretsNamedBy(p, use).map((secret) => ({ ...secret, failure: failureNaming(failures, secret.name) })),
  );
  const reported = failures
    .map((failure) => secretInMessage(p, failure))
    .filter(({ name }) => name !== '' && !named.some((secret) => secret.name === name));
  return [...named, ...reported];
}

function failureNaming(failures: readonly MountFailure[], name: string): MountFailure | undefined {
  return failures.find(
    ({ text }) => text.includes(`/${name} `) || text.includes(`secret ${name} `) || text.includes(`"${name}"`),
  );
}

function secretsNamedBy({ pod }: PodCase, use: VolumeUse): Omit<NeededSecret, 'failure'>[] {
  const inline = use.podVolume.csi?.nodePublishSecretRef?.name;
  if (inline) {
    const evidence = [field(pod, `spec.volumes[${use.name}].csi.nodePublishSecretRef.name`, inline)];
    return [{ name: inline, namespace: pod.metadata.namespace ?? '', use, evidence }];
  }
  const volume = use.volumeObject;
  return (['nodeStageSecretRef', 'nodePublishSecretRef'] as const).flatMap((key) => {
    const { name, namespace } = volume?.spec?.csi?.[key] ?? {};
    if (!volume || !name || !namespace) return [];
    return [{ name, namespace, use, evidence: [field(volume, `spec.csi.${key}`, `${namespace}/${name}`)] }];
  });
}

/**
 * Without the right to read volumes, the kubelet's message still names the secret; the name is empty where it does not.
 */
function secretInMessage(p: PodCase, failure: MountFailure): NeededSecret {
  const match = secretRefText.exec(failure.text) ?? secretOfNodeText.exec(failure.text);
  return {
    name: match?.groups?.['name'] ?? match?.[2] ?? '',
    namespace: match?.groups?.['namespace'] ?? match?.[1] ?? '',
    use: toldVolume(p, failure),
    evidence: [],
    failure,
  };
}
