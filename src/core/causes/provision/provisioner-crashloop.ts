import { messageOf } from '../../graph/events.ts';
import { eventSaid } from '../../facts/evidence.ts';
import type { KubeEvent, Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { crashLoop, crashesOf, wordsOfEnd } from '../../facts/driver/controller-health.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { repairApiPath, unreachedApi } from '../lib/api-path.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { senseOf } from '../lib/driver-error/storage-sense.ts';
import { claimRule } from '../lib/rule.ts';
import { sentence } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { controllerOf, explainTrouble, externalProvisionerOf } from './provisioner.ts';

/** Comes before the rules for a stale lease and for silence, which follow from the crash. */
export const provisionerCrashloop = claimRule({
  cause: 'provisioner-crashloop',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = externalProvisionerOf(c);
    if (!provisioner) return undefined;
    const controller = controllerOf(c, provisioner);
    const trouble = crashLoop(controller, c.now);
    if (!trouble) return undefined;
    const { pod, said, logged } = lastWords(controller, c.now) ?? loggedEnd(c, controller) ?? {};
    const api = pod && said !== undefined ? unreachedApi(said) : undefined;
    const place = pod?.spec?.nodeName === undefined ? '' : ` from ${pod.spec.nodeName}`;
    const other = otherNode(c, pod?.spec?.nodeName);
    const explanation = explainTrouble(provisioner, trouble);
    return {
      ...explanation,
      evidence: logged && pod ? [...explanation.evidence, eventSaid(pod, logged)] : explanation.evidence,
      summary:
        said === undefined
          ? explanation.summary
          : `${explanation.summary} ${logged ? 'Its last error in the log' : 'Its last words'}: ${sentence(quoteWords(said))}${api === undefined ? '' : ` It cannot reach the Kubernetes API at ${api}${place}.`}`,
      fix:
        api === undefined || !pod
          ? [...adviseWords(said), ...explanation.fix]
          : // Its last words are known, so the log says no more.
            [
              ...repairApiPath(pod, api, other),
              ...explanation.fix.filter(({ command }) => command?.includes(' logs ') !== true),
            ],
    };
  },
});

/** The reason of an event that represents the last error in the log of a container that keeps crashing. */
export const endedWith = 'ContainerEnded';

interface LastWords {
  readonly pod: Pod;
  readonly said: string;
  readonly logged?: KubeEvent;
}

function loggedEnd(c: PresentClaim, { pods }: DriverController): LastWords | undefined {
  for (const pod of pods.items) {
    const logged = c.ask.loggedAbout(pod).findLast(({ reason }) => reason === endedWith);
    if (logged) return { pod, said: messageOf(logged), logged };
  }
  return undefined;
}

/** What the container that ends first wrote before it ended. */
function lastWords({ pods, role }: DriverController, now: number): LastWords | undefined {
  for (const pod of pods.items)
    for (const { status } of crashesOf(pod, role, now)) {
      const said = wordsOfEnd(status);
      if (said !== undefined) return { pod, said };
    }
  return undefined;
}

/** A node to compare with, among those that were read. */
function otherNode(c: PresentClaim, node: string | undefined): string | undefined {
  return c.ask
    .seen('Node')
    .find(
      ({ metadata, spec, status }) =>
        metadata.name !== node &&
        spec?.unschedulable !== true &&
        status?.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True') === true,
    )?.metadata.name;
}

/** Well-known words have a well-known remedy. */
function adviseWords(said: string | undefined): Fix[] {
  const advice = said === undefined ? undefined : senseOf(said)?.advice;
  if (advice !== undefined) return [steps(advice, [])];
  return said !== undefined && senseOf(said)?.about === 'credentials'
    ? [
        steps(
          'Give the driver valid credentials: its cloud role, the identity of its node, or the Secret it reads, as ' +
            'its documentation says. Its next restart then stays up.',
          [],
        ),
      ]
    : [];
}
