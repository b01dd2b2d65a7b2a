import type { Inquiry } from '../../graph/inquiry.ts';
import { flagOf, mentionsDriver, sidecarOf } from '../../facts/driver/driver-pods.ts';
import { field } from '../../facts/evidence.ts';
import type { Lease, Pod } from '../../kube/kinds.ts';
import { sanitiseLeaseName } from '../../kube/names.ts';
import { parseTime } from '../../kube/time.ts';
import type { Evidence } from '../../report/report.ts';

/**
 * An attacher that runs for a driver name which no node and no CSIDriver object has: most likely it was intended for
 * another one.
 */
export interface MisnamedAttacher {
  /** Completes "An attacher runs …". */
  readonly where: string;
  readonly evidence: Evidence;
}

const leasePrefix = 'external-attacher-leader-';
const freshSeconds = 60;

/** Among the leases next to the pods of the driver, and what was read already. */
export function misnamedAttacher(ask: Inquiry, driver: string): MisnamedAttacher | undefined {
  const known = new Set([driver, ...knownDrivers(ask)].map(sanitiseLeaseName));
  for (const namespace of homesOf(ask, driver))
    ask.list('Lease', namespace, `whether an attacher runs for another name than ${driver}`);
  const lease = ask.seen('Lease').find((each) => isStray(each, known, ask.now));
  if (lease) return describeLease(lease);
  const pod = ask.seen('Pod').find((each) => {
    const name = servedName(each);
    return name !== undefined && !known.has(sanitiseLeaseName(name));
  });
  return pod && describePod(pod);
}

/** The namespaces in which pods of the driver run, such as those of its node plugin. */
function homesOf(ask: Inquiry, driver: string): ReadonlySet<string> {
  const pods = ask.seen('Pod').filter(({ spec }) => mentionsDriver(spec, driver));
  const sets = ask.seen('DaemonSet').filter(({ spec }) => mentionsDriver(spec?.template?.spec, driver));
  return new Set([...pods, ...sets].flatMap(({ metadata: { namespace } }) => namespace ?? []));
}

function knownDrivers(ask: Inquiry): string[] {
  return [
    ...ask.seen('CSIDriver').map(({ metadata }) => metadata.name),
    ...ask.seen('CSINode').flatMap(({ spec }) => (spec?.drivers ?? []).map(({ name }) => name ?? '')),
  ];
}

function isStray({ metadata: { name }, spec }: Lease, known: ReadonlySet<string>, now: number): boolean {
  const renewed = parseTime(spec?.renewTime);
  const isFresh = renewed !== undefined && Math.abs(now - renewed) / 1000 < freshSeconds;
  return isFresh && name.startsWith(leasePrefix) && !known.has(name.slice(leasePrefix.length));
}

/** The name that the driver next to an attacher is started with. */
function servedName({ spec, status }: Pod): string | undefined {
  if (!sidecarOf(spec, 'attacher') || status?.phase !== 'Running') return undefined;
  for (const container of spec?.containers ?? []) {
    const name = flagOf(container, 'drivername') ?? flagOf(container, 'driver-name');
    if (name !== undefined && /^[a-z0-9.-]+$/i.test(name)) return name;
  }
  return undefined;
}

function describeLease(lease: Lease): MisnamedAttacher {
  const { namespace = '', name } = lease.metadata;
  return {
    where: `for another driver name, which no node has registered (lease ${namespace}/${name})`,
    evidence: field(lease, 'spec.renewTime'),
  };
}

function describePod(pod: Pod): MisnamedAttacher {
  const name = servedName(pod) ?? '';
  return {
    where: `in pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''} for driver name ${name}, which no node has registered`,
    evidence: field(pod, 'spec.containers', `driver name ${name}`),
  };
}
