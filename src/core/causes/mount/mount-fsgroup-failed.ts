import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { ownWords } from '../lib/driver-error/node-sense.ts';
import {
  notPermittedText,
  permissionDeniedText,
  readOnlyFileSystemText,
} from '../lib/driver-error/senses/file-system.ts';
import { quoted } from './driver-answer.ts';
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
      summary:
        `The kubelet cannot change the group of ${volumeWords(use, failure)} to ${groupWords(p)} for ` +
        `${podWords(p)}: ${describeReason(failure)}`,
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
  if (readOnlyFileSystemText.test(text)) return '"read-only file system".';
  if (notPermittedText.test(text)) return '"operation not permitted". The storage does not let the node change owners.';
  if (permissionDeniedText.test(text)) return '"permission denied". The storage does not let the node change owners.';
  return `${quoted(ownWords(text))}.`;
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
  const dropGroup = changePodFix(
    pod,
    { securityContext: { fsGroup: null } },
    (where) => `Remove fsGroup ${where}, and let the storage give the files to the user of the container.`,
  );
  if (driver === undefined) return [dropGroup];
  return [
    dropGroup,
    steps(
      `If no volume of ${driver} can change its group, tell the kubelet to leave the groups of all its volumes ` +
        'alone. Pods that rely on fsGroup then lose it.',
      [patchCommand({ kind: 'CSIDriver', metadata: { name: driver } }, { spec: { fsGroupPolicy: 'None' } })],
      'disruptive',
    ),
  ];
}
