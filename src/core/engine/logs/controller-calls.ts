import { controllerOf, externalProvisionerOf } from '../../causes/provision/provisioner.ts';
import { endedWith } from '../../causes/provision/provisioner-crashloop.ts';
import { lockText, rightMissingText } from '../../causes/lib/driver-error/sentences/provisioner.ts';
import { crashesOf, isTellingEnd } from '../../facts/driver/controller-health.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Verdict } from '../verdict.ts';
import type { ExpectedCall } from './expected-calls.ts';

/**
 * What the provisioner and its driver log about themselves: such a line names no object, and holds up all claims of the
 * driver. Only where objects show that it matters: no lease is renewed, or a container keeps crashing.
 */
export function controllerCalls({ journey: { claim }, stage }: Verdict, ask: Inquiry): ExpectedCall[] {
  const provisioner = claim && stage === 'provision' ? externalProvisionerOf(claim) : undefined;
  if (!claim?.claim || !provisioner) return [];
  const controller = controllerOf(claim, provisioner);
  const election: ExpectedCall = {
    rpc: 'leader election',
    names: [],
    own: { speaker: 'provisioner', isError: isRefusedLock, isOvercome: (text) => /acquired lease/.test(text) },
    report: {
      about: claim.claim,
      reason: 'ProvisioningFailed',
      component: provisioner.name,
      message: (error) => error,
    },
  };
  const [crash] = controller.pods.items.flatMap((pod) => crashesOf(pod, controller.role, ask.now));
  return [
    ...(controller.lease.state === 'fresh' ? [] : [election]),
    ...(crash === undefined || crash.status.name === undefined
      ? []
      : [
          {
            rpc: 'start',
            names: [],
            own: { container: crash.status.name, pod: crash.pod.metadata.name, isError: isTellingEnd },
            report: { about: crash.pod, reason: endedWith, component: provisioner.name, message: bareWords },
          },
        ]),
  ];
}

/** client-go leaderelection: without the lock the provisioner does not begin. */
function isRefusedLock(text: string): boolean {
  return lockText.test(text) && rightMissingText.test(text);
}

function bareWords(error: string): string {
  return error;
}
