import { findBucketController, findBucketSidecar } from '../../facts/bucket/bucket-controllers.ts';
import type { BucketController } from '../../facts/bucket/bucket-controllers.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { LogPlace } from '../../report/component-log.ts';
import { steps } from '../../causes/lib/steps.ts';
import { grepFor } from './owner.ts';
import type { Examination, StageOwner, TraceSource } from './owner.ts';

/** The COSI controller, or the sidecar of the driver where the object is with it. */
export function bucketOwner(ask: Inquiry, driver: string | undefined, source: TraceSource): StageOwner {
  const name = driver === undefined ? 'the COSI controller' : `the COSI sidecar of ${driver}`;
  const find = (): BucketController =>
    driver === undefined ? findBucketController(ask) : findBucketSidecar(ask, driver);
  return { name, examine: () => examine(find(), name, source), logs: () => logPlaces(find(), name) };
}

function examine({ workload, lease }: BucketController, name: string, source: TraceSource): Examination {
  const { progress, evidence, names } = source();
  const namespace = workload?.namespace ?? lease.object?.metadata.namespace;
  const target = workload && `${workload.kind.toLowerCase()}/${shellWord(workload.name)}`;
  const command = target
    ? `kubectl ${inNamespace(namespace)}logs ${target} --all-containers --since=1h${grepFor(names, shellWord)}`
    : `kubectl get pods -A -o wide | grep -i -e objectstorage -e cosi`;
  return {
    progress,
    evidence,
    fix: [steps(`Read what ${name} logged about it, and correct what the log names.`, [command])],
  };
}

function logPlaces({ pods, containerOf }: BucketController, name: string): LogPlace[] {
  const [pod] = pods.items;
  const container = containerOf(pod?.spec)?.name;
  if (!pod || container === undefined) return [];
  return [{ namespace: pod.metadata.namespace ?? '', pod: pod.metadata.name, container, what: name }];
}
