import { flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import { logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import type { Evidence } from '../../report/report.ts';
import { ageText } from '../../kube/time.ts';
import { field, fix } from '../../facts/evidence.ts';
import { leaseEvidence } from '../../facts/driver/controller-health.ts';
import { attachRules } from './attach-trouble.ts';
import { attacherHealth, isTouched } from './attacher-health.ts';

const nodeIdAnnotation = 'csi.alpha.kubernetes.io/node-id';
const patienceSeconds = 135;

/** external-attacher saves every error of a call, a timeout too: no word at all means that the call hangs, or that it may not write. */
export const attachInFlightStuck = attachRules(
  'attach-in-flight-stuck',
  'blocking',
  ({ ask, driver, attachment, error, waitedSeconds, lead }) => {
    if (attachment.state !== 'found' || driver === undefined || error?.from === 'object') return undefined;
    const { object } = attachment;
    if (
      object.status?.attached === true ||
      object.metadata.deletionTimestamp !== undefined ||
      waitedSeconds < patienceSeconds
    )
      return undefined;
    const health = attacherHealth(ask, driver);
    if (health.state === 'dead' || health.state === 'absent') return undefined;
    const isStarted = isTouched(object.metadata);
    if (health.state !== 'alive' && !isStarted) return undefined;
    const { controller } = health;
    const timeout = timeoutOf(controller);
    if (timeout !== undefined && waitedSeconds < timeout) return undefined;
    const pod = controller.leader ?? controller.pods.items[0];
    const account = pod?.spec?.serviceAccountName;
    const nodeId = object.metadata.annotations?.[nodeIdAnnotation];
    const waited = Number.isFinite(waitedSeconds) ? ageText(ask.now - waitedSeconds * 1000, ask.now) : 'long';
    const evidence: [Evidence, ...Evidence[]] = [
      field(object, 'status.attached', object.status?.attached ?? false),
      field(object, 'metadata.finalizers', (object.metadata.finalizers ?? []).join(', ') || 'none'),
      ...(nodeId ? [field(object, `metadata.annotations[${nodeIdAnnotation}]`, nodeId)] : []),
      ...leaseEvidence(controller),
      ...(error ? [error.evidence] : []),
    ];
    return {
      confidence: health.state === 'alive' && isStarted ? 'certain' : 'likely',
      about: driver,
      summary: isStarted
        ? `${lead}: the attacher of ${driver} began ${waited} ago and has neither finished nor complained: the call hangs, or the attacher may not write volumeattachments/status`
        : `${lead}: the attacher of ${driver} runs, but has not touched the attachment in ${waited}: it may not see or change attachments, or it serves another driver name`,
      evidence,
      fix: [
        logsFix(controller),
        logsFix(controller, 'driver'),
        fix(
          'see whether the attacher may write the result',
          `kubectl auth can-i patch volumeattachments.storage.k8s.io --subresource=status --as=system:serviceaccount:${pod?.metadata.namespace ?? 'NAMESPACE'}:${account ?? 'NAME'}`,
        ),
      ],
    };
  },
);

/** The attacher's own `--timeout`, in seconds, with room for one more try; undefined when it is not set. */
function timeoutOf({ leader, pods }: DriverController): number | undefined {
  const value = flagOf(sidecarOf((leader ?? pods.items[0])?.spec, 'attacher'), 'timeout');
  const parts = [...(value ?? '').matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  if (parts.length === 0) return undefined;
  const seconds = { ms: 0.001, s: 1, m: 60, h: 3600 };
  return 2 * parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * seconds[unit as keyof typeof seconds], 0);
}
