import type { ObjectOf } from '../../kube/kinds.ts';
import { likenessOfWords, servedNames } from './driver-pods.ts';
import type { PodSpec, ServedName, Workload } from './driver-pods.ts';
import type { Inquiry } from '../../graph/inquiry.ts';

/** A provisioner whose own configuration states the name under which it provisions. */
export interface NamedProvisioner extends ServedName {
  readonly object: ObjectOf<'Pod'> | Workload;
  readonly spec: PodSpec | undefined;
}

/** Those in the snapshot, each name once, a pod before its workload; nothing is read for it. */
export function namedProvisioners(ask: Inquiry): readonly NamedProvisioner[] {
  return ask.graph.remember('provisioners that get their name as an argument', () => {
    const pods = ask
      .seen('Pod')
      .filter(
        ({ metadata, status }) =>
          metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
      );
    const workloads = (['Deployment', 'StatefulSet', 'DaemonSet'] as const).flatMap((kind): readonly Workload[] =>
      ask.seen(kind),
    );
    const all = [
      ...pods.flatMap((object) => servedNames(object.spec).map((served) => ({ ...served, object, spec: object.spec }))),
      ...workloads.flatMap((object) =>
        servedNames(object.spec?.template?.spec).map((served) => ({
          ...served,
          path: served.path.replace('spec.', 'spec.template.spec.'),
          object,
          spec: object.spec?.template?.spec,
        })),
      ),
    ];
    return [...new Map(all.toReversed().map((each) => [each.name, each])).values()].reverse();
  });
}

/** Whether it looks like the provisioner of this name, but is configured with another. */
export function isAlike({ object, spec }: NamedProvisioner, driver: string): boolean {
  return likenessOfWords(object.metadata.name, spec, driver) >= 0.5;
}
