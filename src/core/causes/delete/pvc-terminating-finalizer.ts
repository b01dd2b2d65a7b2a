import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field, fix, note, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import {
  cloningProtection,
  controllerBehind,
  deletionEvidence,
  kindsBehind,
  populatorSuffix,
  pvcProtection,
  removeFinalizerFix,
  searchFix,
  snapshotSourceProtection,
  writtenBy,
} from './finalizers.ts';
import { secondsSinceDeletion } from './pvc-terminating-pods.ts';

/** A finalizer is taken off by an update that takes a moment: until then it is a wait, whose reason is known all the same. */
const actSeconds = 30;

function patience(c: PresentClaim): { readonly severity?: 'info' } {
  return secondsSinceDeletion(c) < actSeconds ? { severity: 'info' } : {};
}

/** lib-volume-populator: the finalizer goes when the volume is filled and bound, or the populator sees the deletion. */
export const pvcTerminatingPopulator = claimRule({
  cause: 'pvc-terminating-populator',
  stage: 'delete',
  severity: 'blocking',
  explain(c) {
    const finalizer = finalizersOf(c).find((name) => name.endsWith(populatorSuffix));
    if (finalizer === undefined) return undefined;
    const prefix = finalizer.slice(0, -populatorSuffix.length);
    const source = c.claim.spec?.dataSourceRef ?? c.claim.spec?.dataSource;
    const prime =
      c.claim.metadata.uid === undefined
        ? undefined
        : c.ask.claimsNamed(`prime-${c.claim.metadata.uid}`, `whether the populator still fills pvc/${c.name}`);
    const [helper] = prime?.items ?? [];
    const isDone = c.isBound && !helper;
    return {
      ...patience(c),
      confidence: helper || isDone ? 'certain' : 'likely',
      about: prefix,
      summary: `pvc/${c.name} is being deleted and waits for the volume populator ${prefix}${helper ? `, whose own pvc/${helper.metadata.name} in namespace ${helper.metadata.namespace ?? ''} is ${helper.status?.phase ?? 'there'}` : isDone ? ', which has filled it and has not let it go' : ': it is not finished, or gone'}`,
      evidence: [
        ...deletionEvidence(c.claim),
        ...(source
          ? [
              field(
                c.claim,
                c.claim.spec?.dataSourceRef ? 'spec.dataSourceRef' : 'spec.dataSource',
                `${source.kind ?? ''} ${source.name ?? ''}`.trim(),
              ),
            ]
          : []),
        ...(helper
          ? [field(helper, 'status.phase')]
          : prime?.complete && c.claim.metadata.uid !== undefined
            ? [absent('PersistentVolumeClaim', `prime-${c.claim.metadata.uid}`)]
            : []),
        ...writtenBy(c.claim, finalizer),
      ],
      fix: [
        searchFix(finalizer),
        ...(helper
          ? [
              fix(
                "see what holds the populator's own claim",
                `kubectl csi why pvc/${shellWord(helper.metadata.name)} -n ${shellWord(helper.metadata.namespace ?? '')}`,
              ),
            ]
          : []),
        removeFinalizerFix(
          c.claim,
          finalizer,
          'only if the populator was removed for good, take the finalizer off by hand',
        ),
      ],
    };
  },
});

const known = [pvcProtection, cloningProtection, snapshotSourceProtection];

/** Any finalizer of somebody else: only its controller knows what it waits for. */
export const pvcTerminatingForeignFinalizer = claimRule({
  cause: 'pvc-terminating-foreign-finalizer',
  stage: 'delete',
  severity: 'blocking',
  explain(c) {
    const foreign = finalizersOf(c).filter(
      (finalizer) => !known.includes(finalizer) && !finalizer.endsWith(populatorSuffix),
    );
    const [finalizer] = foreign;
    if (finalizer === undefined) return undefined;
    const kinds = kindsBehind(c.ask, finalizer);
    const owners = (c.claim.metadata.ownerReferences ?? []).filter(({ kind, name }) => kind && name);
    const trace =
      kinds === undefined
        ? ''
        : kinds.length === 0
          ? '; nothing of that domain is installed here any more'
          : `, which looks after ${kinds.slice(0, 3).join(', ')}`;
    return {
      ...patience(c),
      summary: `pvc/${c.name} is being deleted and waits for ${controllerBehind(finalizer)} to take ${finalizer} off${trace}`,
      evidence: [
        ...deletionEvidence(c.claim),
        ...foreign.flatMap((name) => writtenBy(c.claim, name)),
        ...owners.slice(0, 2).map(({ kind, name }) => note(c.claim, `is owned by ${kind ?? ''} ${name ?? ''}`)),
      ],
      fix: [
        searchFix(finalizer),
        removeFinalizerFix(
          c.claim,
          finalizer,
          'only if that controller is gone for good, take the finalizer off by hand; what it would have cleaned up stays',
        ),
      ],
    };
  },
});

function finalizersOf(c: PresentClaim): readonly string[] {
  return c.claim.metadata.deletionTimestamp === undefined ? [] : (c.claim.metadata.finalizers ?? []);
}
