import { sidecarOf } from '../../facts/driver/driver-pods.ts';
import type { DriverController, SidecarRole } from '../../facts/driver/drivers.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';

/**
 * The command that gives a sidecar one more argument; undefined where its workload is not known, or has the flag
 * already. A pod has the containers of its template in the same order; the patch tests the name, since an admission
 * webhook may have added some.
 */
export function addFlag(
  { workload, leader, pods }: DriverController,
  role: SidecarRole,
  flag: string,
  value: string,
): string | undefined {
  const spec = workload?.object?.spec?.template?.spec ?? (leader ?? pods.items[0])?.spec;
  const container = sidecarOf(spec, role);
  const index = container ? (spec?.containers ?? []).indexOf(container) : -1;
  if (!workload || !container || index < 0) return undefined;
  const { args = [] } = container;
  if (args.some((word) => word.startsWith(`--${flag}`) || word.startsWith(`-${flag}`))) return undefined;
  const argument = `--${flag}=${value}`;
  const path = `/spec/template/spec/containers/${index}`;
  const addition =
    args.length > 0
      ? { op: 'add', path: `${path}/args/-`, value: argument }
      : { op: 'add', path: `${path}/args`, value: [argument] };
  const patch = [{ op: 'test', path: `${path}/name`, value: container.name }, addition];
  return (
    `kubectl ${inNamespace(workload.namespace)}patch ${workload.kind.toLowerCase()} ` +
    `${shellWord(workload.name)} --type=json -p ${shellWord(JSON.stringify(patch))}`
  );
}
