import type { Fix } from '../../report/report.ts';
import { field, fix } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import type { AnyObjectRule, Explanation } from '../lib/rule.ts';
import { driverWordsOf, senseFixes, tellWords } from './driver-words.ts';
import type { DriverWords } from './driver-words.ts';
import { groupRetry, lookUpContent } from './group-snapshot.ts';
import type { Group, GroupCase, GroupContent } from './group-snapshot.ts';
import { objectText } from './snapshot-rule.ts';

/** groupsnapshot_controller_helper.go: the same fields as single snapshots, with the latest error in the status. */
export const groupsnapFailed: readonly AnyObjectRule[] = [
  objectRule('VolumeGroupSnapshot', {
    cause: 'groupsnap-failed',
    stage: 'snapshot',
    severity: 'blocking',
    explain: explainGroup,
  }),
  objectRule('VolumeGroupSnapshotContent', {
    cause: 'groupsnap-failed',
    stage: 'snapshot',
    severity: 'blocking',
    explain: ({ object }) => explainError(object),
  }),
];

function explainGroup(subject: GroupCase): Explanation | undefined {
  const content = lookUpContent(subject);
  return (content?.state === 'found' ? explainError(content.object) : undefined) ?? explainError(subject.object);
}

function explainError(object: Group | GroupContent): Explanation | undefined {
  const error = object.status?.error;
  if (!error?.message) return undefined;
  const words = driverWordsOf(error.message);
  const driver = object.kind === 'VolumeGroupSnapshotContent' ? object.spec?.driver : undefined;
  const who = words.code === undefined ? 'The snapshot controller' : (driver ?? 'The driver');
  return {
    summary: tellWords(`${objectText(object)} has not been taken. ${who} reports`, words),
    evidence: [field(object, 'status.error.message', error.message, error.time)],
    fix: errorFixes(words),
  };
}

function errorFixes(words: DriverWords): Fix[] {
  const known = senseFixes(words);
  return known.length > 0
    ? known
    : [fix(`Correct what the error names: in the group, in its class or on the storage. ${groupRetry}`)];
}
