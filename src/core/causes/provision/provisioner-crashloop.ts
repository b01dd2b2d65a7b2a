import { logsFix } from '../../facts/driver/drivers.ts';
import { crashLoop, withLogs } from '../../facts/driver/controller-health.ts';
import { claimRule } from '../lib/rule.ts';
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
