import { refOf } from '../../graph/inquiry.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { growthSince, isExpanding, isModifying, modifySince } from '../../journey/claim-growth.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import type { Attachment, Volume } from '../../kube/kinds.ts';
import type { ObjectRef } from '../../report/report.ts';
import { parseTime } from '../../kube/time.ts';
import type { Certainty, TraceAccount, TraceSpan } from '../../report/trace.ts';
import type { VolumeCast } from './cast.ts';
import type { Fact, FactBook } from './fact.ts';
import type { Subject } from './object-facts.ts';

/** One step of the way: who has to act, and when it ended. */
interface Step {
  readonly stage: string;
  readonly waitsFor: string;
  readonly isDone: boolean;
  /** Nobody had to act: no pod used the claim. */
  readonly isIdle?: boolean;
  readonly isUnneeded?: boolean;
  readonly end?: Pick<Fact, 'at' | 'certainty'> | undefined;
  readonly note?: string;
  /** Somebody else had to act before. */
  readonly handedOver?: { readonly by: string; readonly at: number } | undefined;
}

/** A span with who had to act in it, for the gaps of the timeline. */
export interface Charged {
  readonly from: number;
  readonly to: number;
  readonly waitsFor: string;
  readonly isOpen: boolean;
}

export interface Reckoning {
  readonly account: TraceAccount;
  readonly charged: readonly Charged[];
}

export function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** Where the time of a claim went, with the first pod that uses it. */
export function accountOfClaim(cast: VolumeCast, book: FactBook, now: number): Reckoning | undefined {
  const { claim } = cast;
  const started = parseTime(claim?.claim?.metadata.creationTimestamp);
  if (!claim?.claim || started === undefined) return undefined;
  if (claim.claim.metadata.deletionTimestamp !== undefined) return accountOfDeletion(claim.claim, book, now);
  const pod = cast.pods[0]?.pod;
  const reckoning = reckon(started, now, refOf(claim.claim), stepsOfClaim(cast, book));
  return pod ? { ...reckoning, account: { ...reckoning.account, pod: refOf(pod) } } : reckoning;
}

function stepsOfClaim(cast: VolumeCast, book: FactBook): Step[] {
  const { claim } = cast;
  if (!claim) return [];
  const volume = cast.volume?.state === 'found' ? cast.volume.object : undefined;
  const made = volume && book.get(`created/PersistentVolume/${volume.metadata.name}`);
  const podCase = cast.pods[0];
  const podMade = podCase && book.get(`created/Pod/${podCase.pod.metadata.name}`);
  const selected = book.get(`node-selected/${claim.name}`);
  const wait: Step = {
    stage: podCase ? 'before the pod' : 'no pod',
    waitsFor: podCase ? `pod/${podCase.pod.metadata.name} to be created` : 'a pod that uses the claim',
    isDone: podCase !== undefined,
    isIdle: true,
    end: podMade,
  };
  const provision: Step = {
    stage: 'provision',
    waitsFor:
      cast.driver !== undefined
        ? `the provisioner of ${cast.driver}`
        : claim.storageClass?.state === 'missing'
          ? `class ${claim.class.name} to exist`
          : 'a volume or a class',
    isDone: cast.volume !== undefined,
    end: made,
  };
  const bind: Step = {
    stage: 'bind',
    waitsFor: 'the volume controller',
    isDone: claim.isBound,
    end: book.get(`bound/${claim.name}`) ?? book.get(`claim-status/${claim.name}`),
  };
  const changes = changeSteps(cast);
  const ofPod = [...podSteps(cast, book), ...changes];
  // The resizer waits for no pod.
  const idle: readonly Step[] = !podCase && changes.length > 0 ? [] : [wait];
  if (
    claim.isStatic === true &&
    !(volume && book.get(`created/PersistentVolume/${volume.metadata.name}`)?.component === 'provisioner')
  )
    return claim.isDelayed === true && !claim.isBound
      ? [...idle, ...ofPod.slice(0, 1), bind, ...ofPod.slice(1)]
      : [bind, ...idle, ...ofPod];
  if (claim.isDelayed !== true) return [provision, bind, ...idle, ...ofPod];
  const chose: Step = {
    stage: 'choose node',
    waitsFor: 'the scheduler',
    isDone: claim.selectedNode !== undefined || cast.volume !== undefined,
    end: selected,
  };
  // The pod for which it was made is gone: the one that is there came later.
  const isSecondPod = made !== undefined && podMade !== undefined && podMade.at > made.at + 2000;
  if (isSecondPod) return [{ ...chose, note: 'for an earlier pod' }, provision, bind, ...idle, ...ofPod];
  return podCase || !claim.isBound
    ? [...idle, chose, provision, bind, ...ofPod]
    : [chose, provision, bind, ...idle, ...ofPod];
}

/** A claim that grows or changes has arrived, and is on its way once more. */
function changeSteps({ claim, driver, pods }: VolumeCast): Step[] {
  const stage = claim && isExpanding(claim) ? 'expand' : claim && isModifying(claim) ? 'modify' : undefined;
  if (!claim || stage === undefined) return [];
  const since = stage === 'expand' ? growthSince(claim) : modifySince(claim);
  const before: Step[] =
    since === undefined
      ? []
      : [
          {
            stage: pods.length > 0 ? 'in use' : 'no pod',
            waitsFor: 'nobody',
            isDone: true,
            isIdle: true,
            end: { at: since, certainty: 'exact' },
          },
        ];
  return [...before, { stage, waitsFor: `the resizer of ${driver ?? 'the driver'}`, isDone: false }];
}

const attachController = 'the attach-detach controller';

function podSteps(cast: VolumeCast, book: FactBook): Step[] {
  const podCase = cast.pods[0];
  if (!podCase) return [];
  const { pod } = podCase;
  const { name } = pod.metadata;
  const node = pod.spec?.nodeName;
  const place = cast.places.find((each) => each.node === node);
  const volumeName = cast.claim?.volumeName ?? '';
  const attachment = place?.attachment?.state === 'found' ? place.attachment.object : undefined;
  const isMounted = node !== undefined && hasMountedVolumes(pod);
  const isAttached =
    (attachment?.status?.attached === true && attachment.metadata.deletionTimestamp === undefined) || isMounted;
  const attacher = attachment ? `the attacher of ${cast.driver ?? 'the driver'}` : attachController;
  const asked = attachment && parseTime(attachment.metadata.creationTimestamp);
  return [
    { stage: 'schedule', waitsFor: 'the scheduler', isDone: Boolean(node), end: book.get(`scheduled/${name}`) },
    {
      stage: 'attach',
      waitsFor: attacher,
      isDone: isAttached,
      isUnneeded:
        Boolean(node) && cast.claim?.isBound === true && place !== undefined && place.attachment === undefined,
      end: book.get(`attached/${volumeName}/${node ?? ''}`),
      ...(asked !== undefined && { handedOver: { by: attachController, at: asked } }),
    },
    {
      stage: 'mount',
      waitsFor: `the kubelet${node ? ` on ${node}` : ''}`,
      isDone: isMounted,
      end: book.get(`mounted/${name}`),
    },
  ];
}

/** Of what is on its way out, only that counts any more. */
function accountOfDeletion(object: Subject, book: FactBook, now: number): Reckoning | undefined {
  const asked = book.get(`deletion/${object.kind}/${object.metadata.name}`);
  const finalizers = object.metadata.finalizers ?? [];
  return (
    asked &&
    reckon(asked.at, now, refOf(object), [
      {
        stage: 'delete',
        waitsFor: finalizers.length > 0 ? `${finalizers.join(', ')} to be removed` : 'it to go',
        isDone: false,
      },
    ])
  );
}

export function accountOfAttachment(attachment: Attachment, book: FactBook, now: number): Reckoning | undefined {
  if (attachment.metadata.deletionTimestamp !== undefined) return accountOfDeletion(attachment, book, now);
  const started = parseTime(attachment.metadata.creationTimestamp);
  const { source, nodeName = '', attacher = 'the driver' } = attachment.spec ?? {};
  const end = book.get(`attached/${source?.persistentVolumeName ?? ''}/${nodeName}`);
  return started === undefined
    ? undefined
    : reckon(started, now, refOf(attachment), [
        { stage: 'attach', waitsFor: `the attacher of ${attacher}`, isDone: attachment.status?.attached === true, end },
      ]);
}

/** A volume without a claim has nowhere to go but away. */
export function accountOfVolume(volume: Volume, book: FactBook, now: number): Reckoning | undefined {
  if (volume.metadata.deletionTimestamp !== undefined) return accountOfDeletion(volume, book, now);
  const released = parseTime(volume.status?.lastPhaseTransitionTime);
  if (
    released === undefined ||
    volume.status?.phase !== 'Released' ||
    volume.spec?.persistentVolumeReclaimPolicy !== 'Delete'
  )
    return undefined;
  return reckon(released, now, refOf(volume), [
    { stage: 'reclaim', waitsFor: `the provisioner of ${volume.spec.csi?.driver ?? 'the volume'}`, isDone: false },
  ]);
}

/** A snapshot: the controller makes the content, the driver takes it, and says when it can be used. */
export function accountOfSnapshot(s: SnapshotCase, book: FactBook, now: number): Reckoning | undefined {
  const { snapshot, content, driver = 'the driver' } = s;
  const subject = snapshot ?? content;
  const started = parseTime(subject?.metadata.creationTimestamp);
  if (!subject || started === undefined) return undefined;
  if (subject.metadata.deletionTimestamp !== undefined) return accountOfDeletion(subject, book, now);
  const isTaken = content?.status?.snapshotHandle !== undefined || snapshot?.status?.creationTime !== undefined;
  const ready =
    book.get(`snapshot-ready/${snapshot?.metadata.name ?? ''}`) ??
    (content && book.get(`content-ready/${content.metadata.name}`));
  const steps: Step[] = [
    {
      stage: 'content',
      waitsFor: 'the snapshot controller',
      isDone: content !== undefined,
      end: content && book.get(`created/VolumeSnapshotContent/${content.metadata.name}`),
    },
    {
      stage: 'take',
      waitsFor: `the snapshotter of ${driver}`,
      isDone: isTaken,
      end: book.get(`taken/${snapshot?.metadata.name ?? content?.metadata.name ?? ''}`),
    },
    { stage: 'ready', waitsFor: `the snapshotter of ${driver}`, isDone: s.isReady, end: ready },
  ];
  return reckon(
    started,
    now,
    refOf(subject),
    s.isPreProvisioned ? steps.filter(({ stage }) => stage === 'ready') : steps,
  );
}

/** Each span of time goes to the step that ended it; a step whose end nobody wrote down shares the span of the next. */
function reckon(started: number, now: number, object: ObjectRef, steps: readonly Step[]): Reckoning {
  const spans: (Omit<TraceSpan, 'percent'> & { readonly counts: boolean })[] = [];
  const charged: Charged[] = [];
  let cursor = started;
  let pending: Step[] = [];
  let isStuck = false;
  for (const step of steps) {
    if (step.isUnneeded) spans.push({ stages: [step.stage], state: 'unneeded', counts: false });
    else if (isStuck && step.isIdle) continue;
    else if (isStuck) spans.push({ stages: [step.stage], state: 'unreached', counts: false });
    else if (step.isDone && step.end === undefined) pending.push(step);
    else {
      if (!step.isDone && pending.length > 0) {
        spans.push(untimed(pending));
        pending = [];
      }
      isStuck = !step.isDone;
      const to = Math.max(cursor, step.isDone ? (step.end?.at ?? now) : now);
      const members = [...pending.filter(({ isIdle }) => !isIdle), step];
      pending = [];
      if (!(step.isIdle && to - cursor < 1000)) spans.push(timed(members, step, cursor, to));
      const handed = Math.min(to, Math.max(cursor, step.handedOver?.at ?? cursor));
      if (step.handedOver && handed > cursor)
        charged.push({ from: cursor, to: handed, waitsFor: step.handedOver.by, isOpen: false });
      charged.push({
        from: handed,
        to,
        waitsFor: [...new Set(members.map(({ waitsFor }) => waitsFor))].join(' or '),
        isOpen: !step.isDone,
      });
      cursor = to;
    }
  }
  if (pending.length > 0) spans.push(untimed(pending));
  const total = spans.reduce((sum, span) => sum + (span.counts ? (span.seconds ?? 0) : 0), 0);
  return {
    account: {
      object,
      seconds: total,
      spans: spans.map(({ counts, ...span }) =>
        counts && total > 0 && span.seconds !== undefined
          ? { ...span, percent: Math.round((100 * span.seconds) / total) }
          : span,
      ),
    },
    charged,
  };
}

function timed(
  members: readonly Step[],
  step: Step,
  from: number,
  to: number,
): Omit<TraceSpan, 'percent'> & { readonly counts: boolean } {
  const certainty: Certainty = step.end?.certainty ?? 'exact';
  const stages = [...new Set(members.map(({ stage }) => stage))];
  const notes = [...new Set(members.flatMap(({ note }) => note ?? []))];
  const note = [
    ...notes,
    ...(stages.length > 1 ? ['not told apart'] : []),
    ...(step.isDone ? [] : [`waits for ${step.waitsFor}`]),
  ].join(', ');
  const state = step.isIdle ? 'idle' : step.isDone ? 'done' : 'open';
  return {
    stages,
    state,
    from: timeText(from),
    to: timeText(to),
    seconds: Math.round((to - from) / 1000),
    certainty,
    ...(note && { note }),
    counts: !step.isIdle,
  };
}

function untimed(steps: readonly Step[]): Omit<TraceSpan, 'percent'> & { readonly counts: boolean } {
  return {
    stages: [...new Set(steps.map(({ stage }) => stage))],
    state: 'done',
    note: 'nobody wrote down when',
    counts: false,
  };
}
