import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { StatefulSet } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { seenExpectationOf } from '../../facts/claim/expectation.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { betaClassAnnotation } from '../../facts/class/storage-class.ts';

/** The StatefulSet that made the claim, as far as what is at hand tells. */
export interface ClaimMaker {
  readonly set: string;
  readonly pod: string;
  /** The template of the claim, where the set itself is at hand; its class is undefined when it names none. */
  readonly template?: { readonly object: StatefulSet; readonly name: string; readonly className: string | undefined };
}

/** By the set, or by a pod of a set that uses a claim of its own: TEMPLATE-POD (stateful_set_utils getPersistentVolumeClaimName). Nothing is asked. */
export function makerOf(c: PresentClaim): ClaimMaker | undefined {
  const [expectation] = seenExpectationOf(c.ask, c.namespace, c.name).sets;
  if (expectation) {
    const { set, podName } = expectation;
    const template = set.spec?.volumeClaimTemplates?.find(
      ({ metadata }) => `${metadata?.name ?? ''}-${podName}` === c.name,
    );
    const className = template?.metadata?.annotations?.[betaClassAnnotation] ?? template?.spec?.storageClassName;
    return {
      set: set.metadata.name,
      pod: podName,
      ...(template && { template: { object: set, name: template.metadata?.name ?? '', className } }),
    };
  }
  const pod = c.ask.graph
    .podsUsing({ namespace: c.namespace, name: c.name })
    .find((each) => ownerOf(each)?.kind === 'StatefulSet' && c.name.endsWith(`-${each.metadata.name}`));
  const owner = pod && ownerOf(pod);
  return owner && { set: owner.name, pod: pod.metadata.name };
}

export function templateEvidence({ template }: ClaimMaker): Evidence[] {
  return template
    ? [
        field(
          template.object,
          `spec.volumeClaimTemplates[${template.name}].spec.storageClassName`,
          template.className ?? 'not set',
        ),
      ]
    : [];
}
