import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { crashLoop, crashesOf } from '../../facts/driver/controller-health.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { senseOf } from '../lib/driver-error/storage-sense.ts';
import { lostConnectionText } from '../lib/driver-error/sentences/provisioner.ts';
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
    const said = lastWords(controller, c.now);
    const explanation = explainTrouble(provisioner, trouble);
    return {
      ...explanation,
      summary:
        said === undefined
          ? explanation.summary
          : `${explanation.summary} Its last words: ${sentence(quoteWords(said))}`,
      fix: [...adviseWords(said), ...explanation.fix],
    };
  },
});

/** What the container that ends first wrote before it ended; a sidecar that lost its driver has nothing to report. */
function lastWords({ pods, role }: DriverController, now: number): string | undefined {
  const words = pods.items
    .flatMap((pod: Pod) => crashesOf(pod, role, now))
    .map(({ status }) => (status.lastState?.terminated ?? status.state?.terminated)?.message?.trim() ?? '');
  return words.find((text) => text !== '' && !lostConnectionText.test(text));
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
