import { explainRefusal, findRefusal, reasonOf } from './registration-refusal.ts';
import type { Refusal } from './registration-refusal.ts';
import { registrationRule } from './registration-rule.ts';

/** The registrar ends again and again, for a reason that its status does not give. */
export const driverRegistrationFailed = registrationRule('driver-registration-failed', 'blocking', (r) => {
  const refusal = findRefusal(r);
  if (!refusal || reasonOf(refusal) !== undefined) return undefined;
  return explainRefusal(r, refusal, { what: describeEnd(refusal), fixes: [] });
});

function describeEnd({ pod, status }: Refusal): string {
  const exitCode = (status.state?.terminated ?? status.lastState?.terminated)?.exitCode;
  return (
    `container ${status.name ?? ''} of pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''} ` +
    `registers it and ends${exitCode === undefined ? '' : ` with exit code ${exitCode}`} every time`
  );
}
