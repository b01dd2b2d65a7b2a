import { crashLoop, withLogs } from '../../facts/driver/controller-health.ts';
import { logsFix } from '../../facts/driver/drivers.ts';
import { claimRule } from '../lib/rule.ts';
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
    return trouble && explainTrouble(provisioner, withLogs(trouble, logsFix(controller)));
  },
});
