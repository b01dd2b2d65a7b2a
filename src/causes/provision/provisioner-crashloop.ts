import { logsFix } from '../../graph/drivers.ts';
import { crashLoop, withLogs } from '../../journey/controller-health.ts';
import { claimRule } from '../../journey/rule.ts';
import { controllerOf, explainTrouble, externalProvisionerOf } from './provisioner.ts';

/** What is told after this rule, a stale lease or a silence, follows from the crash. */
export const provisionerCrashloop = claimRule({
  cause: 'provisioner-crashloop',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = externalProvisionerOf(c);
    if (!provisioner) return undefined;
    const controller = controllerOf(c, provisioner);
    const trouble = crashLoop(controller, c.now);
    return trouble && explainTrouble(provisioner, withLogs(trouble, logsFix(controller)));
  },
});
