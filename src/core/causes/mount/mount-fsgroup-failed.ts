import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { podWords, toldVolume, volumeWords } from './told-volume.ts';

/** The server does not let root change owners (NFS root_squash, SMB), or the volume is read-only. */
export const mountFsgroupFailed = podRule({
  cause: 'mount-fsgroup-failed',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'fsGroup');
    if (!failure) return undefined;
    const use = toldVolume(p, failure);
    const driver = use?.driver;
    return {
      confidence: 'likely',
      ...(driver !== undefined && { about: driver }),
      summary: `the kubelet cannot give ${volumeWords(use, failure)} of ${podWords(p)} to ${groupWords(p)}: ${describeReason(failure)}`,
      evidence: evidenceOf(p, failure, driver),
      fix: adviceFor(p, driver),
    };
  },
});

function groupWords({ pod }: PodCase): string {
  const group = pod.spec?.securityContext?.fsGroup;
  return group === undefined ? 'its fsGroup' : `fsGroup ${group}`;
}

function describeReason({ text }: MountFailure): string {
  if (/read-only file system/i.test(text)) return 'it is read-only';
  if (/not permitted|permission denied/i.test(text)) return 'the storage does not let the node change owners';
  return 'that fails';
}

function evidenceOf(p: PodCase, failure: MountFailure, driver: string | undefined): Explanation['evidence'] {
  const object =
    driver === undefined
      ? undefined
      : p.ask.get('CSIDriver', undefined, driver, `whether ${driver} leaves the owner of files alone`);
  return [
    eventSaid(p.pod, failure.event),
    field(p.pod, 'spec.securityContext.fsGroup'),
    ...(object?.state === 'found'
      ? [field(object.object, 'spec.fsGroupPolicy', object.object.spec?.fsGroupPolicy ?? 'not set')]
      : []),
  ];
}

function adviceFor({ pod }: PodCase, driver: string | undefined): Fix[] {
  const dropGroup = fix(
    "take fsGroup out of the pod's template, and let the storage give the files to the right user",
    `kubectl ${inNamespace(pod.metadata.namespace)}get pod ${shellWord(pod.metadata.name)} -o jsonpath='{.spec.securityContext}'`,
  );
  if (driver === undefined) return [dropGroup];
  return [
    dropGroup,
    fix(
      'or, if no volume of the driver can be given to a group, let the kubelet leave them all alone',
      `kubectl patch csidriver ${shellWord(driver)} -p '{"spec":{"fsGroupPolicy":"None"}}'`,
      'disruptive',
    ),
  ];
}
