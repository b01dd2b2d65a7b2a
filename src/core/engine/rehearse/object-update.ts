import type { Inquiry } from '../../graph/inquiry.ts';
import type { RawObject } from '../../kube/snapshot.ts';
import type { Objection } from '../../report/preflight.ts';
import type { Fix } from '../../report/report.ts';
import { field, fix, inNamespace, shellWord, valueText } from '../../facts/evidence.ts';
import { frozenChanges } from './changes.ts';
import type { Change } from './changes.ts';
import { refusedUpdate } from './claim-update.ts';
import { claimShapeOf } from './templates.ts';

/** Why the API server would refuse to change an object that exists. */
export function refusedChange(
  existing: RawObject,
  object: RawObject,
  changes: readonly Change[],
  ask: Inquiry,
): Objection | undefined {
  const claim = object.kind === 'PersistentVolumeClaim' ? claimShapeOf(existing) : undefined;
  const wanted = claim && claimShapeOf(object);
  if (claim && wanted) return refusedUpdate(claim, wanted, changes, ask);
  const [change] = frozenChanges(existing, changes);
  if (!change) return undefined;
  const { path, from, to } = change;
  return {
    cause: 'field-immutable',
    stage: 'claim',
    confidence: 'certain',
    summary:
      `${object.kind} ${object.metadata.name} exists, and its ${path} cannot be changed: ` +
      `it is ${valueText(from)}, and the manifest says ${valueText(to)}.`,
    evidence: [field(existing, path, valueText(from)), field(object, path, `${valueText(to)} in the manifest`)],
    fix: [adviceFor(object)],
  };
}

function adviceFor({ kind, metadata: { namespace, name } }: RawObject): Fix {
  if (kind !== 'StatefulSet')
    return fix('Write the present value into the manifest, or create the object under another name.');
  return fix(
    'Delete the StatefulSet without its pods and apply the manifest again. Existing claims keep what they have.',
    `kubectl ${inNamespace(namespace)}delete statefulset ${shellWord(name)} --cascade=orphan`,
    'disruptive',
  );
}
