import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { findPluginSets } from '../../facts/driver/node-plugin.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import type { Fix } from '../../report/report.ts';
import type { Registration } from './registration.ts';
import { refusalRule } from './registration-refusal.ts';

/** The kubelet keeps one driver of a name, the one with the highest version (kcsi csi_plugin.go ValidatePlugin). */
export const driverVersionConflict = refusalRule(
  'driver-version-conflict',
  'version',
  'another driver of this name is registered with a higher version, or no version of it is supported',
  (r) => [conflictFix(r)],
);

function conflictFix({ ask, driver, pod }: Registration): Fix {
  const own = pod && ownerOf(pod);
  const sets = findPluginSets(ask, driver).items;
  const refused = sets.find(
    ({ metadata }) => metadata.name === own?.name && metadata.namespace === pod?.metadata.namespace,
  );
  const [other] = sets.filter((set) => set !== refused);
  if (!refused || !other)
    return steps(
      `Upgrade ${driver}, or remove its second installation: the kubelet keeps one driver of a name.`,
      [],
      'disruptive',
    );
  return steps(
    `Remove one of the two installations of ${driver}: daemonset/${other.metadata.name} in namespace ` +
      `${other.metadata.namespace ?? ''} serves it too. ` +
      'This saves and removes the refused one; do it only if the other is the right one.',
    [saveCommand(refused), kubectl('delete', refused)],
    'disruptive',
  );
}
