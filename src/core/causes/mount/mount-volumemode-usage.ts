import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { Claim, Container, Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { failureEvidence } from './failure-evidence.ts';
import { failureOf } from './mount-failure.ts';
import { podWords } from './told-volume.ts';
import { wrongModeText } from '../lib/driver-error/sentences/kubelet.ts';

type Use = 'volumeMounts' | 'volumeDevices';

/**
 * A raw device cannot be mounted as a directory, and a file system cannot be handed over as a device
 * (desired_state_of_world_populator.go createVolumeSpec).
 */
export const mountVolumemodeUsage = podRule({
  cause: 'mount-volumemode-usage',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const misuse = findMisuse(p);
    if (!misuse) return explainReported(p);
    const { volume, claim, source, mode, container, wrong } = misuse;
    return {
      summary:
        `pvc/${claim.name} has volumeMode ${mode}, but container ${container} of ${podWords(p)} uses it in ` +
        `${wrong}. A ${mode} volume belongs in ${otherUse(wrong)}.`,
      evidence: [
        field(source, 'spec.volumeMode', mode),
        field(p.pod, `spec.containers[${container}].${wrong}`, volume),
        ...failureEvidence(p, failureOf(p, 'volumeMode')),
      ],
      fix: adviceFor(p, misuse),
    };
  },
});

interface Misuse {
  /** The name within the pod. */
  readonly volume: string;
  readonly claim: ClaimCase;
  /** The object that states the mode. */
  readonly source: Volume | Claim;
  readonly mode: string;
  readonly container: string;
  readonly wrong: Use;
}

function findMisuse(p: PodCase): Misuse | undefined {
  const { spec } = p.pod;
  const containers: readonly Container[] = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  for (const use of volumeUsesOf(p)) {
    const { claim } = use;
    const source = use.volumeObject ?? claim?.claim;
    if (!claim || !source) continue;
    const mode = source.spec?.volumeMode ?? 'Filesystem';
    const wrong = mode === 'Block' ? 'volumeMounts' : 'volumeDevices';
    const container = containers.find((candidate) => candidate[wrong]?.some(({ name }) => name === use.name));
    if (container) return { volume: use.name, claim, source, mode, container: container.name ?? '', wrong };
  }
  return undefined;
}

function adviceFor({ pod }: PodCase, misuse: Misuse): Fix[] {
  const { claim, mode, wrong, volume, container } = misuse;
  const right = otherUse(wrong);
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  const isInit = initContainers.some(({ name }) => name === container);
  const uses = [...initContainers, ...containers].find(({ name }) => name === container)?.[wrong] ?? [];
  const paths = uses
    .filter(({ name }) => name === volume)
    .map(
      (use) => ('mountPath' in use ? use.mountPath : undefined) ?? ('devicePath' in use ? use.devicePath : undefined),
    );
  const [from, to] = wrong === 'volumeMounts' ? ['mountPath', 'devicePath'] : ['devicePath', 'mountPath'];
  const change = {
    name: container,
    [wrong]: paths.map((path) => ({ [from]: path, $patch: 'delete' })),
    [right]: paths.map((path) => ({ name: volume, [to]: path })),
  };
  return [
    changePodFix(
      pod,
      { [isInit ? 'initContainers' : 'containers']: [change] },
      (where) => `Use the volume in ${right} instead of ${wrong} ${where}.`,
    ),
    steps(
      `If the application needs a ${mode === 'Block' ? 'file system' : 'raw device'}, use another claim with ` +
        `volumeMode ${mode === 'Block' ? 'Filesystem' : 'Block'} instead of pvc/${claim.name}: ` +
        'the mode of a claim cannot be changed.',
      [],
      'disruptive',
    ),
  ];
}

function otherUse(use: string): Use {
  return use === 'volumeMounts' ? 'volumeDevices' : 'volumeMounts';
}

/** The claim cannot be read: the kubelet's event proves the same. */
function explainReported(p: PodCase): Explanation | undefined {
  const failure = failureOf(p, 'volumeMode');
  const told = failure && wrongModeText.exec(failure.text);
  if (!failure || !told) return undefined;
  const [, volume = '', mode = '', wrong = ''] = told;
  return {
    confidence: 'likely',
    summary: `Volume "${volume}" has volumeMode ${mode}, but ${podWords(p)} uses it in ${wrong}.`,
    evidence: [eventSaid(p.pod, failure.event)],
    fix: [
      steps(
        `Correct the pod where it is defined: use volume "${volume}" in ${otherUse(wrong)} instead of ${wrong}.`,
        [],
        'disruptive',
      ),
    ],
  };
}
