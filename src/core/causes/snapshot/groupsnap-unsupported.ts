import { fix } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import type { AnyObjectRule, Explanation } from '../lib/rule.ts';
import { driverWordsOf, tellWords } from './driver-words.ts';
import { lookUpContent } from './group-snapshot.ts';
import type { Group, GroupContent } from './group-snapshot.ts';
import { objectText } from './snapshot-rule.ts';
import { groupsUnsupportedTexts } from '../lib/driver-error/sentences/snapshots.ts';

/** The driver has no GroupController service, or not the capability CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT. */
export const groupsnapUnsupported: readonly AnyObjectRule[] = [
  objectRule('VolumeGroupSnapshot', {
    cause: 'groupsnap-unsupported',
    stage: 'snapshot',
    severity: 'blocking',
    explain: (subject) => {
      const content = lookUpContent(subject);
      return (content?.state === 'found' ? explainError(content.object) : undefined) ?? explainError(subject.object);
    },
  }),
  objectRule('VolumeGroupSnapshotContent', {
    cause: 'groupsnap-unsupported',
    stage: 'snapshot',
    severity: 'blocking',
    explain: ({ object }) => explainError(object),
  }),
];

function explainError(object: Group | GroupContent): Explanation | undefined {
  const { message, time } = object.status?.error ?? {};
  if (!message) return undefined;
  const words = driverWordsOf(message);
  if (words.code !== 'Unimplemented' && !groupsUnsupportedTexts.test(message)) return undefined;
  const driver = object.kind === 'VolumeGroupSnapshotContent' ? object.spec?.driver : undefined;
  return {
    ...(driver !== undefined && { about: driver }),
    summary: tellWords(`${objectText(object)} has not been taken. ${driver ?? 'The driver'} reports`, words),
    evidence: [
      {
        object: {
          kind: object.kind,
          name: object.metadata.name,
          ...(object.metadata.namespace !== undefined && { namespace: object.metadata.namespace }),
        },
        path: 'status.error.message',
        value: message,
        ...(time !== undefined && { at: time }),
      },
    ],
    fix: [
      fix(
        'Upgrade the driver to a release with group snapshots, or take a VolumeSnapshot of each claim instead: ' +
          'this release does not offer them.',
      ),
    ],
  };
}
