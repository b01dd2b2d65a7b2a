import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { StatefulSet } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { seenExpectationOf } from '../../facts/claim/expectation.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { betaClassAnnotation } from '../../facts/class/storage-class.ts';

/** The StatefulSet that created the claim, as far as it can be seen from what was read already. */
export interface ClaimMaker {
  readonly set: string;
  readonly pod: string;
  /** The template of the claim, where the set itself was read; its class is undefined when it names none. */
  readonly template?: { readonly object: StatefulSet; readonly name: string; readonly className: string | undefined };
}

/**
 * The claim of a set is called TEMPLATE-POD (stateful_set_utils getPersistentVolumeClaimName). Nothing more is asked
 * for.
 */
export function makerOf(c: PresentClaim): ClaimMaker | undefined {
  return makerBySet(c) ?? makerByPod(c);
}

function makerBySet(c: PresentClaim): ClaimMaker | undefined {
  const [expectation] = seenExpectationOf(c.ask, c.namespace, c.name).sets;
  if (!expectation) return undefined;
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

/** Where the set was not read: a pod of a set that uses a claim of its own. */
function makerByPod(c: PresentClaim): ClaimMaker | undefined {
  const pod = c.ask.graph
    .podsUsing({ namespace: c.namespace, name: c.name })
    .find((each) => ownerOf(each)?.kind === 'StatefulSet' && c.name.endsWith(`-${each.metadata.name}`));
  const owner = pod && ownerOf(pod);
  return owner && { set: owner.name, pod: pod.metadata.name };
}

export function templateEvidence({ template }: ClaimMaker): Evidence[] {
  if (!template) return [];
  const path = `spec.volumeClaimTemplates[${template.name}].spec.storageClassName`;
  return [field(template.object, path, template.className ?? 'not set')];
}
