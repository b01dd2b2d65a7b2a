import type { Selection, TargetRef } from '../kube/selection.ts';
import { fullnessOf } from '../kube/volume-usage.ts';
import type { Inquiry } from '../graph/inquiry.ts';
import { measuredClaims } from '../facts/claim/measured-claims.ts';
import { targetOf } from './stuck-objects.ts';
import type { Selectable } from './stuck-objects.ts';

interface FullVolumes {
  /** The claims whose volumes were measured and are full, and their pods. */
  readonly users: readonly TargetRef[];
  /** NAMESPACE/NAME of the claims in use that no source has measured although one was asked. */
  readonly unmeasured: readonly string[];
}

/** If usage was requested, every claim and pod is read: only its figures distinguish a healthy one from a full one. */
export function findFullVolumes(
  ask: Inquiry,
  { namespace, labelSelector }: Selection,
  isSelected: (object: Selectable) => boolean,
): FullVolumes {
  const claims = measuredClaims(ask, namespace);
  const users = (claims?.measured ?? []).flatMap(({ claim, usage }) => {
    if (fullnessOf(usage) === undefined) return [];
    const { namespace: place = '', name } = claim.metadata;
    return [claim, ...ask.graph.podsUsing({ namespace: place, name })].filter((each) => isSelected(each)).map(targetOf);
  });
  // The names alone do not show which of them a label selector selects.
  return { users, unmeasured: labelSelector ? [] : (claims?.unmeasured ?? []) };
}
