import { messageOf } from '../../graph/events.ts';
import { logsFix } from '../../facts/driver/drivers.ts';
import type { ObjectOf } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { absent, eventSaid, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import { patchVolume } from '../bind/closest-volume.ts';
import {
  deleteFailure,
  deleterOf,
  deletingController,
  isToBeDeleted,
  stillAttached,
  waitedSeconds,
} from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

const secretAnnotation = 'volume.kubernetes.io/provisioner-deletion-secret';
const tryAgainSeconds = 60;

/** external-provisioner Delete goes on without the secret (handleSecretsForDeletion), and the driver then refuses. */
export const pvDeleteSecretMissing = objectRule('PersistentVolume', {
  cause: 'pv-delete-secret-missing',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const name = v.annotation(`${secretAnnotation}-name`);
    const namespace = v.annotation(`${secretAnnotation}-namespace`);
    if (!name || !namespace || !isToBeDeleted(v) || waitedSeconds(v) < tryAgainSeconds) return undefined;
    const secret = v.ask.get('Secret', namespace, name, `whether the secret that deletes pv/${v.name} exists`);
    if (secret.state !== 'missing') return undefined;
    const said = deleteFailure(v, /[^]*/);
    return {
      about: `${namespace}/${name}`,
      summary: `secret ${namespace}/${name}, which the driver needs to delete pv/${v.name}, does not exist`,
      evidence: [
        field(v.object, `metadata.annotations[${secretAnnotation}-name]`, name),
        absent('Secret', name, namespace),
        ...(said ? [eventSaid(v.object, said.event)] : []),
      ],
      fix: [
        fix(
          'make the secret again, with the credentials that the class had: the deletion then goes on by itself',
          `kubectl ${inNamespace(namespace)}get secrets`,
        ),
        fix(
          'or let the volume point to another secret that holds them',
          `kubectl annotate pv ${shellWord(v.name)} ${secretAnnotation}-name=NAME ${secretAnnotation}-namespace=NAMESPACE --overwrite`,
        ),
      ],
    };
  },
});

interface Sense {
  readonly pattern: RegExp;
  readonly meaning: string;
  readonly cure: string;
  /** Snapshots of the volume may be what is in the way, even if the driver does not say so. */
  readonly mayBeSnapshots?: boolean;
}

/** What drivers mean when they refuse to delete (CSI spec, DeleteVolume Errors, and the words that they use); the first that fits. */
const senses: readonly Sense[] = [
  {
    pattern: /snapshot/i,
    meaning: 'it still has snapshots',
    cure: 'delete the snapshots of the volume, in the cluster and in the backend',
    mayBeSnapshots: true,
  },
  {
    pattern: /clone|child|dependent|depends on|parent/i,
    meaning: 'other volumes still depend on it',
    cure: 'delete or detach the clones of the volume in the backend',
  },
  {
    pattern:
      /code = (?:PermissionDenied|Unauthenticated)|access ?denied|unauthori[sz]ed|not authori[sz]ed|forbidden|credential/i,
    meaning: 'the driver may not delete it',
    cure: 'give the driver the right to delete volumes, or mend its credentials',
  },
  {
    pattern:
      /code = (?:Unavailable|DeadlineExceeded|Canceled)|connection refused|no such host|timed? ?out|connection error/i,
    meaning: 'the driver or the storage behind it does not answer',
    cure: 'get the driver and its backend to answer again',
  },
  {
    pattern: /code = FailedPrecondition|in use|inuse|attached|busy|being used|watchers|locked/i,
    meaning: 'the backend says it is in use',
    cure: 'find in the backend who still uses the volume: an attachment, an export, a snapshot',
    mayBeSnapshots: true,
  },
  {
    pattern: /code = NotFound|not found|does not exist/i,
    meaning: 'the backend does not know it, which the driver should take for deleted',
    cure: 'make sure that the volume is gone in the backend',
  },
  {
    pattern: /code = (?:Aborted|ResourceExhausted)|pending|in progress|throttl|rate limit/i,
    meaning: 'the backend is busy with it',
    cure: 'wait for the operation in the backend to end',
  },
];
const anyOther: Sense = { pattern: /^/, meaning: 'the driver refuses', cure: 'act on what the driver says' };

/** Nothing keeps the answer of DeleteVolume but the event. */
export const pvDeleteRpcFailed = objectRule('PersistentVolume', {
  cause: 'pv-delete-rpc-failed',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const deleter = deleterOf(v.object);
    if (deleter === undefined || !isToBeDeleted(v)) return undefined;
    const said = deleteFailure(v, /[^]*/);
    const text = said ? messageOf(said.event) : '';
    if (!said || stillAttached.test(text)) return undefined;
    const sense = senses.find(({ pattern }) => pattern.test(text)) ?? anyOther;
    const contents = sense.mayBeSnapshots ? snapshotsOf(v) : [];
    const meaning =
      contents.length > 0
        ? `it still has ${contents.length === 1 ? 'a snapshot' : `${contents.length} snapshots`} (${contents.slice(0, 3).map(snapshotName).join(', ')})`
        : sense.meaning;
    return {
      confidence: 'likely',
      summary: `the driver ${deleter} does not delete pv/${v.name}: ${meaning}`,
      evidence: [
        eventSaid(v.object, said.event),
        field(v.object, 'status.phase'),
        ...contents
          .slice(0, 3)
          .map((content) => note(content, `is a snapshot of volume ${v.object.spec?.csi?.volumeHandle ?? ''}`)),
      ],
      fix: [
        ...(contents.length > 0 ? contents.slice(0, 3).map(deleteSnapshotFix) : [fix(sense.cure)]),
        logsFix(deletingController(v, deleter), 'driver'),
        fix(
          'if the volume is to be kept after all: set its policy to Retain',
          patchVolume(v.name, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
        ),
      ],
    };
  },
});

type Content = ObjectOf<'VolumeSnapshotContent'>;

/** Snapshots that the cluster knows of; those made in the backend by hand it does not. */
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
