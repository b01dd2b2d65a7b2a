import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { newestMatch } from '../../graph/events.ts';
import type { Evidence } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { failureOf } from './mount-failure.ts';
import { labelledVolumes, labelsOf, recursiveFix, uniteLabelsFix } from './selinux.ts';
import { podWords, volumeWords } from './told-volume.ts';

/** Containers of one pod want the same volume with different labels, and a mount can have only one (KEP-1710). */
export const mountSelinuxMultiple = podRule({
  cause: 'mount-selinux-multiple',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const use = labelledVolumes(p).find(({ name }) => labelsOf(p.pod, name).length > 1);
    const [first, ...rest] = evidenceOf(p, use);
    if (!first) return undefined;
    return {
      confidence: 'likely',
      summary:
        `The containers of ${podWords(p)} mount ${use ? volumeWords(use) : 'the same volume'} with different ` +
        'SELinux labels. A mount has one label only.',
      evidence: [first, ...rest],
      fix: [uniteLabelsFix(p, use), recursiveFix(p)],
    };
  },
});

function evidenceOf(p: PodCase, use: VolumeUse | undefined): Evidence[] {
  const event =
    failureOf(p, 'selinuxMultiple')?.event ?? newestMatch(p.events.items, 'MultipleSELinuxLabels', /^/)?.event;
  const labels = use && labelsOf(p.pod, use.name).join(' and ');
  return [
    ...(labels === undefined ? [] : [field(p.pod, 'spec.containers[].securityContext.seLinuxOptions', labels)]),
    ...(event ? [eventSaid(p.pod, event)] : []),
  ];
}
