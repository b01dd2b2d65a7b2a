import { sidecarOf } from '../../facts/driver/driver-pods.ts';
import type { DriverController, SidecarRole } from '../../facts/driver/drivers.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';

/** The command that gives a sidecar one more argument; undefined where its workload was not read, or has the flag already. */
export function addFlag(
  { workload }: DriverController,
  role: SidecarRole,
  flag: string,
  value: string,
): string | undefined {
  const spec = workload?.object?.spec?.template?.spec;
  const container = sidecarOf(spec, role);
  const index = container ? (spec?.containers ?? []).indexOf(container) : -1;
  if (!workload || !container || index < 0) return undefined;
  const { args = [] } = container;
  if (args.some((word) => word.startsWith(`--${flag}`) || word.startsWith(`-${flag}`))) return undefined;
  const argument = `--${flag}=${value}`;
  const path = `/spec/template/spec/containers/${index}/args`;
  const patch =
    args.length > 0 ? [{ op: 'add', path: `${path}/-`, value: argument }] : [{ op: 'add', path, value: [argument] }];
  return `kubectl ${inNamespace(workload.namespace)}patch ${workload.kind.toLowerCase()} ${shellWord(workload.name)} --type=json -p ${shellWord(JSON.stringify(patch))}`;
}
