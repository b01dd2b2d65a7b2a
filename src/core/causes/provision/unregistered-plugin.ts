import { fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { unhealthyPluginOf } from '../mount/driver-daemonset-pod-unhealthy.ts';
import type { PluginTrouble } from '../mount/driver-daemonset-pod-unhealthy.ts';
import { registrationOf, registrationsOfDriver } from '../mount/needed-drivers.ts';
import type { Registration } from '../mount/registration.ts';

/** A driver has no topology where its node plugin has not registered it: what is wrong with the pod that should have done so. */
export function unregisteredPluginOn(c: PresentClaim, driver: string, node: string): PluginTrouble | undefined {
  return troubleOf(registrationOf(c.ask, driver, node, {}));
}

/** The same for a driver that is registered nowhere: one pod stands for all, preferably one that does not run. */
export function unregisteredPluginAnywhere(c: PresentClaim, driver: string): PluginTrouble | undefined {
  const registrations = registrationsOfDriver({ ask: c.ask, name: driver }).filter(
    ({ isRegistered }) => isRegistered === false,
  );
  const found =
    registrations.find(({ trouble }) => trouble === 'unhealthy') ??
    registrations.find(({ trouble }) => trouble !== undefined);
  return found && troubleOf(found);
}

function troubleOf(r: Registration): PluginTrouble | undefined {
  const { pod, trouble } = r;
  if (trouble !== 'refused' && trouble !== 'quiet') return unhealthyPluginOf(r);
  return (
    pod && {
      words: `pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''} runs and has not registered it`,
      evidence: [note(pod, `is the node plugin of ${r.driver} on ${r.node}`)],
      fix: [
        fix(
          `Restart pod/${pod.metadata.name}, so that it registers ${r.driver} on ${r.node} again.`,
          `kubectl ${inNamespace(pod.metadata.namespace)}delete pod ${shellWord(pod.metadata.name)}`,
          'disruptive',
        ),
      ],
    }
  );
}
