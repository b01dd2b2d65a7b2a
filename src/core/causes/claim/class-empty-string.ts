import { newestMatch } from '../../graph/events.ts';
import { eventSaid, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { betaClassAnnotation, resolveClass } from '../../facts/class/storage-class.ts';
import { matchVolume } from '../../facts/volume/volume-match.ts';
import { noClassText } from './class-nil-no-default.ts';

/** An empty name is an answer: no provisioning, only volumes without a class, and no default is ever filled in. */
export const classEmptyString = claimRule({
  cause: 'class-empty-string',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (c.class.name !== '' || c.class.source === 'none' || c.isBound || c.isLost || c.volumeName !== '')
      return undefined;
    const said = newestMatch(c.events.items, 'FailedBinding', noClassText);
    if (!said && c.ageSeconds < 30) return undefined;
    const volumes = c.ask.volumesFor('', 'whether a volume without a class fits the claim');
    const classless = volumes.items
      .filter((volume) => resolveClass(volume).name === '')
      .map((volume) => ({ volume, failed: matchVolume(volume, c.claim, { by: 'search' }).failed }));
    // A volume that could be had, or that only its owner keeps away, is told by the predicate that it fails.
    if (classless.some(({ failed }) => !failed.includes('claimed') || failed.length === 1)) return undefined;
    // One that names this claim, of whatever class, is a reservation gone wrong and no matter of class.
    if (volumes.items.some(({ spec }) => spec?.claimRef?.name === c.name && spec.claimRef.namespace === c.namespace))
      return undefined;
    const path =
      c.class.source === 'annotation' ? `metadata.annotations[${betaClassAnnotation}]` : 'spec.storageClassName';
    const taken =
      classless.length > 0
        ? `; ${classless.length === 1 ? 'the one there is belongs to another claim' : `the ${classless.length} there are belong to other claims`}`
        : '';
    return {
      confidence: volumes.complete ? 'certain' : said ? 'likely' : 'possible',
      summary: `the claim asks for class "" and so for no provisioning, and there is no volume without a class for it${taken}`,
      evidence: [
        field(c.claim, path, ''),
        ...classless
          .slice(0, 5)
          .map(({ volume }) =>
            note(
              volume,
              `has no class, but belongs to ${volume.spec?.claimRef?.namespace ?? ''}/${volume.spec?.claimRef?.name ?? ''}`,
            ),
          ),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: [
        fix(
          'look which volumes there are, and create one without storageClassName that fits the claim',
          'kubectl get pv',
        ),
        fix(
          'or, to have one provisioned, delete the claim and make it again with a class, or without the field for the default one',
          `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`,
          'disruptive',
        ),
      ],
    };
  },
});
