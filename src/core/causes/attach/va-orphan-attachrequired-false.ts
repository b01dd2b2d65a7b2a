import type { CsiDriver } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { objectRule } from '../lib/rule.ts';

/** By then the attach-detach controller has removed every such attachment that it knows of. */
const staySeconds = 600;

/**
 * The attach-detach controller removes such attachments automatically (seen on 1.36.4): one that stays was overlooked.
 */
export const vaOrphanAttachRequiredFalse = objectRule('VolumeAttachment', {
  cause: 'va-orphan-attachrequired-false',
  stage: 'attach',
  severity: 'warning',
  explain(a) {
    const driver = findDriverWithoutAttach(a);
    if (!driver) return undefined;
    const isAttached = a.object.status?.attached === true;
    const created = parseTime(a.object.metadata.creationTimestamp);
    const age = created === undefined ? '' : ` for ${ageText(created, a.now)}`;
    return {
      severity: isAttached && !a.isTerminating ? 'warning' : 'blocking',
      summary: `the attachment is left over${age}: ${driver.metadata.name} attaches nothing since its CSIDriver object says attachRequired: false`,
      evidence: [
        field(driver, 'spec.attachRequired', false),
        field(a.object, 'status.attached', a.object.status?.attached ?? false),
      ],
      fix: [
        fix(
          'delete the attachment when no pod on the node uses the volume',
          `kubectl delete volumeattachment ${shellWord(a.name)}`,
          'disruptive',
        ),
      ],
    };
  },
});

/** The driver of the attachment, if it has needed no attachments for some time. */
function findDriverWithoutAttach(a: ObjectCase<'VolumeAttachment'>): CsiDriver | undefined {
  const name = a.object.spec?.attacher;
  if (name === undefined || a.ageSeconds < staySeconds) return undefined;
  const driver = a.ask.get('CSIDriver', undefined, name, `whether ${name} attaches its volumes`);
  if (driver.state !== 'found' || driver.object.spec?.attachRequired !== false) return undefined;
  return a.secondsSince(driver.object.metadata.creationTimestamp) < staySeconds ? undefined : driver.object;
}
