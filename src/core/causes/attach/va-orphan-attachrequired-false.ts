import type { CsiDriver } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { field } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { driverWithoutAttach, podsAtAttachment } from '../../journey/attachment-stages.ts';
import { objectRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { onAttachment, saveAttachment } from './attachment-commands.ts';
import { isTouched } from './attacher-health.ts';

/**
 * The attach-detach controller removes such attachments automatically (seen on 1.36.4): one that stays was overlooked.
 */
export const vaOrphanAttachRequiredFalse = objectRule('VolumeAttachment', {
  cause: 'va-orphan-attachrequired-false',
  stage: 'attach',
  severity: 'blocking',
  explain(a) {
    const driver = driverWithoutAttach(a);
    if (!driver) return undefined;
    const created = parseTime(a.object.metadata.creationTimestamp);
    const age = created === undefined ? '' : `, created ${ageText(created, a.now)} ago,`;
    return {
      summary:
        `VolumeAttachment ${a.name}${age} is left over: CSIDriver "${driver.metadata.name}" now has ` +
        'attachRequired: false, so no controller uses or removes it.',
      evidence: [
        field(driver, 'spec.attachRequired', false),
        field(a.object, 'status.attached', a.object.status?.attached ?? false),
      ],
      fix: fixesFor(a, driver),
    };
  },
});

function fixesFor(a: ObjectCase<'VolumeAttachment'>, driver: CsiDriver): Fix[] {
  if (a.isTerminating)
    return [
      steps(
        `Start the attacher of ${driver.metadata.name} once more: the attachment is being deleted, and only it removes its finalizer.`,
        [],
      ),
    ];
  const node = a.object.spec?.nodeName ?? 'the node';
  const [pod] = podsAtAttachment(a)?.items ?? [];
  const commands = [saveAttachment(a.object), onAttachment('delete', a.object)];
  const next = isTouched(a.object.metadata)
    ? ' Its attacher then detaches the volume and removes the finalizer; without an attacher the deletion waits.'
    : '';
  if (pod)
    return [
      steps(
        `Stop pod/${pod.metadata.name}, which uses the volume on ${node}, then save and delete the attachment.${next}`,
        commands,
        'disruptive',
      ),
    ];
  return [steps(`Save and delete the attachment: no pod on ${node} uses the volume.${next}`, commands)];
}
