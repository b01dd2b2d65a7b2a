import { messageOf } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import { logsFix } from '../../facts/driver/drivers.ts';
import type { ObjectOf } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { eventSaid, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { deletionSenseOf } from '../lib/driver-error/deletion-sense.ts';
import type { DeletionSense } from '../lib/driver-error/deletion-sense.ts';
import { objectRule } from '../lib/rule.ts';
import {
  deleteFailure,
  deleterOf,
  deletingController,
  isToBeDeleted,
  retainFix,
  stillAttached,
} from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

/** What the driver answered, and what it means. */
interface FailedCall {
  readonly deleter: string;
  readonly said: EventMatch;
  readonly sense: DeletionSense;
  /** The snapshots that keep the volume, where the answer may be about them. */
  readonly contents: readonly Content[];
}

/** The answer of DeleteVolume is kept in the event only. */
export const pvDeleteRpcFailed = objectRule('PersistentVolume', {
  cause: 'pv-delete-rpc-failed',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const call = findFailedCall(v);
    if (!call) return undefined;
    const { deleter, said, contents } = call;
    return {
      confidence: 'likely',
      summary: `the driver ${deleter} does not delete pv/${v.name}: ${meaningOf(call)}`,
      evidence: [
        eventSaid(v.object, said.event),
        field(v.object, 'status.phase'),
        ...contents
          .slice(0, 3)
          .map((content) => note(content, `is a snapshot of volume ${v.object.spec?.csi?.volumeHandle ?? ''}`)),
      ],
      fix: fixesFor(v, call),
    };
  },
});

function findFailedCall(v: VolumeSubject): FailedCall | undefined {
  const deleter = deleterOf(v.object);
  if (deleter === undefined || !isToBeDeleted(v)) return undefined;
  const said = deleteFailure(v, /[^]*/);
  const text = said ? messageOf(said.event) : '';
  if (!said || stillAttached.test(text)) return undefined;
  const sense = deletionSenseOf(text);
  return { deleter, said, sense, contents: sense.mayBeSnapshots ? snapshotsOf(v) : [] };
}

function meaningOf({ sense, contents }: FailedCall): string {
  if (contents.length === 0) return sense.meaning;
  const count = contents.length === 1 ? 'a snapshot' : `${contents.length} snapshots`;
  return `it still has ${count} (${contents.slice(0, 3).map(snapshotName).join(', ')})`;
}

function fixesFor(v: VolumeSubject, { deleter, sense, contents }: FailedCall): Fix[] {
  return [
    ...(contents.length > 0 ? contents.slice(0, 3).map(deleteSnapshotFix) : [fix(sense.cure)]),
    logsFix(deletingController(v, deleter), 'driver'),
    retainFix(v.name, 'if the volume is to be kept after all: set its policy to Retain'),
  ];
}

type Content = ObjectOf<'VolumeSnapshotContent'>;

/** Snapshots that the cluster knows of; those created directly in the backend are invisible to it. */
function snapshotsOf(v: VolumeSubject): readonly Content[] {
  const { driver, volumeHandle } = v.object.spec?.csi ?? {};
  if (!driver || !volumeHandle) return [];
  const { items } = v.ask.list('VolumeSnapshotContent', undefined, `whether pv/${v.name} has snapshots`);
  return items.filter(({ spec }) => spec?.driver === driver && spec.source?.volumeHandle === volumeHandle);
}

function snapshotName({ metadata, spec }: Content): string {
  const { namespace, name } = spec?.volumeSnapshotRef ?? {};
  return name ? `volumesnapshot ${namespace ?? ''}/${name}` : `volumesnapshotcontent ${metadata.name}`;
}

function deleteSnapshotFix(content: Content): Fix {
  const { namespace, name } = content.spec?.volumeSnapshotRef ?? {};
  const target = name
    ? `${inNamespace(namespace)}delete volumesnapshot ${shellWord(name)}`
    : `delete volumesnapshotcontent ${shellWord(content.metadata.name)}`;
  return fix(`data-loss: delete ${snapshotName(content)}, if nobody needs it`, `kubectl ${target}`, 'data-loss');
}
