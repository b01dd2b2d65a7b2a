import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Fix } from '../../report/report.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { unhealthyPluginOf } from '../mount/driver-daemonset-pod-unhealthy.ts';
import type { PluginTrouble } from '../mount/driver-daemonset-pod-unhealthy.ts';
import { registrationOf, registrationsOfDriver } from '../mount/needed-drivers.ts';
import type { Registration } from '../mount/registration.ts';

/**
 * A driver has no topology where its node plugin has not registered it: what is wrong with the pod that should have
 * done so.
 */
export function unregisteredPluginOn(c: PresentClaim, driver: string, node: string): PluginTrouble | undefined {
  return troubleOf(registrationOf(c.ask, driver, node, {}));
}

/** The same for a driver that is registered nowhere: one pod represents all, preferably one that does not run. */
export function unregisteredPluginAnywhere(c: PresentClaim, driver: string): PluginTrouble | undefined {
  const registrations = registrationsOfDriver({ ask: c.ask, name: driver }).filter(
    ({ isRegistered }) => isRegistered === false,
  );
  const found =
    registrations.find(({ trouble }) => trouble === 'unhealthy') ??
    registrations.find(({ trouble }) => trouble !== undefined);
  const trouble = found && troubleOf(found);
  const owner = found?.pod && ownerOf(found.pod);
  const isQuiet = found?.trouble === 'quiet' || found?.trouble === 'refused';
  if (!trouble || !isQuiet || registrations.length < 2 || owner?.kind !== 'DaemonSet') return trouble;
  return { ...trouble, fix: [restartSet(owner.name, found.pod?.metadata.namespace, driver), ...trouble.fix.slice(1)] };
}

/** No kubelet knows the driver, so all its pods have to register again, not one. */
function restartSet(name: string, namespace: string | undefined, driver: string): Fix {
  return steps(
    `Restart daemonset/${name}, whose pods run on all nodes and have registered ${driver} on none. ` +
      'If it stays unregistered, the log of their registrar has the reason; ' +
      'without "Received GetInfo call" in it, the kubelets look in another directory (--root-dir).',
    [
      kubectl('rollout restart', {
        kind: 'DaemonSet',
        metadata: { name, ...(namespace !== undefined && { namespace }) },
      }),
      `kubectl ${inNamespace(namespace)}logs daemonset/${shellWord(name)} --all-containers --tail=50`,
    ],
    'disruptive',
  );
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
