import type { DriverError } from '../parse.ts';
import { httpStatus } from './http.ts';
import { anyOf } from './wordings.ts';

/** Proves that no answer came in time; not that the driver is dead, nor that the storage is slow. */
export function saysTimeout({ code, raw }: DriverError): boolean {
  return code === 'DeadlineExceeded' || /context deadline exceeded/i.test(raw);
}

/** The storage was slow to answer the driver. */
export const slowTexts =
  /timed out|deadline exceeded|\btime-?out (?:waiting|while|expired|exceeded|reached|of)|\b(?:operation|request|command) time-?out\b/i;

/** An earlier call for the same volume still runs (CSI spec: ABORTED); it proves nothing about the volume. */
export const operationPendingTexts =
  /code = Aborted\b|operation (?:with the given \S+ \S+|for \S+|.{0,120}) (?:already exists|is (?:already )?(?:in progress|pending))/i;

/** The storage is still changing the volume: a state that passes, such as EBS "optimizing" or Cinder "detaching". */
const transitionTexts =
  /\b(?:status|state)\b.{0,30}\b(?:optimizing|modifying|creating|attaching|detaching|reserved|downloading|updating|in[- ]?transition)\b|\b(?:in (?:the )?)?['"]?(?:optimizing|modifying|attaching|detaching)['"]? state\b|is (?:still |currently )?being (?:modified|optimized|attached|detached)|already in progress|\b(?:server|droplet|linode|instance|vm|machine) (?:is )?(?:currently |already |still )?(?:locked|busy)\b|\bhas (?:a )?pending (?:event|task|action|operation)\b/i;

/** Something else works on the volume, or holds it: the storage turned the call away for now, and did nothing. */
export const busyTexts = anyOf({
  httpStatus: httpStatus(409, 423),
  job: /\b(?:another|other|a|an|some|one|replication|migration|backup|rebalance|copy|sync|restore|clone|snapshot)\b[^.;]{0,30}\b(?:job|task|operation|request|process|migration|rebalance|replication|backup|workflow|transaction|copy)\b[^.;]{0,30}\b(?:is|are|still|already)(?: still| already| currently)? (?:running|active|in progress|ongoing|pending|under ?way|holding)\b/,
  unfinished:
    /\b(?:is|are) (?:currently )?being (?:migrated|moved|upgraded|rebuilt|copied|resized|restored|reconfigured|replicated|rebalanced)\b|\b(?:is|are) still being \w+ed\b|\b(?:is|are) not (?:yet )?(?:finished|complete|completed)\b/,
  ownJob:
    /\b(?:quiesce|clone|cloning|copy|snapshot|migration|rebuild|resync|replication|expand|resize|restore|delete) (?:operation|job|task|request|process) (?:is |are )?(?:still |already )?(?:in progress|running|pending|ongoing|active)\b/,
  busy: /\b(?:volume|disk|lun|image|array|pool|dataset|share|object|resource)\b[^.;]{0,60}\b(?:is|are)(?: still| currently)? (?:busy|locked)\b|\btry (?:again|it) later\b/,
});

/** A job on the volume that ends: until then nothing is wrong, and nothing has to be deleted for it. */
export const runningTexts =
  /\b(?:in progress|ongoing|(?:pending|running|unfinished) (?:snapshots?|clones?)|(?:is|are)?(?: still| already| currently)? ?being (?:created|taken|copied|cloned|restored|flattened|migrated|deleted)|(?:is|are) (?:still |already |currently )?running)\b/i;

/** ceph-csi and others copy the data first, and answer ABORTED until the copy is complete. */
const copyTexts =
  /\b(?:clon(?:e|ing)|copy(?:ing)?|restor(?:e|ing)|flatten(?:ing)?|hydrat\w+)\b[^.;]{0,60}\b(?:in progress|pending|ongoing|(?<!not |n't )running|not (?:yet )?(?:complete|completed|finished|ready))\b/i;
/** Words by which the copy does not move. */
const haltTexts =
  /\b(?:fail\w*|errors?|cannot|can't|could ?n[o']t|unable|stopped|paused|suspended|stuck|stalled|halted|aborted by|offline|down|degraded|unavailable|unreachable|unhealthy|full|denied|refused|not (?:available|reachable|running|found|healthy))\b/i;

/** The data for a new volume is being copied, and nothing else is said. */
export function saysCopying(text: string): boolean {
  return copyTexts.test(text) && !haltTexts.test(text);
}

/** The program in front of the storage says that it does not serve now; nothing about the volume. */
export const outageTexts = anyOf({
  httpStatus: httpStatus(502, 503, 504),
  words:
    /\b(?:service|api|server|backend|array|cluster|controller|gateway|system|management)\b[^.;]{0,30}\b(?:is|are|was)(?: currently| temporarily| now)? (?:unavailable|in maintenance|under maintenance|offline|starting up|shutting down)\b|\b(?:is|are|was|has been) (?:paused|suspended) (?:until|for|during|while)\b|\bmaintenance (?:mode|window)\b|\btemporarily unavailable\b/,
});

const passingStates =
  /^(?:optimizing|modifying|creating|attaching|detaching|reserved|downloading|updating|in[- ]?transition)$/i;

/** `current status is error` decides, whatever other states the text asks for. */
export function saysTransition(text: string): boolean {
  const current = /current(?:ly)? (?:status|state)(?: is| of|:|=)* ?["']?([\w-]+)/i.exec(text)?.[1];
  return current === undefined ? transitionTexts.test(text) : passingStates.test(current);
}

/** The storage itself counts the volume as broken or not usable. */
export const brokenStateTexts = anyOf({
  state: /current(?:ly)? (?:status|state)(?: is| of|:|=)* ?["']?(?:error\w*|failed|faulted|degraded|offline)\b/,
  words:
    /\b(?:volume|disk)\b.{0,80}\b(?:is|in)(?: an?)? (?:error|faulted|failed|offline)\b(?: state)?|not ready for workloads|\bnot in quorum\b|\b(?:is|currently|and) faulted\b|\ball replicas (?:have )?(?:failed|are (?:down|faulted|offline))\b/,
  replicas:
    /\bno (?:online|healthy|usable|available|valid|up-?to-?date) replicas?\b|\bneither healthy nor degraded\b|NoOnlineReplicas/,
});

const noAnswerText = /timed out waiting for external-attacher of (\S+) CSI driver to (?:attach|detach) volume/;
/** Before Kubernetes 1.22, which does not name the driver. */
const noAnswerOldText = /attachment timeout for volume/;
export const noAnswerTexts = anyOf(noAnswerText, noAnswerOldText);

/**
 * The attach-detach controller waited in vain for the attacher (csi_attacher.go waitForVolumeAttachment); the storage
 * was perhaps never asked.
 */
export function saysNoAnswer({ raw }: Pick<DriverError, 'raw'>): boolean {
  return noAnswerTexts.test(raw);
}

/** The driver whose attacher did not answer, where the controller names it. */
export function unansweredDriver({ raw }: Pick<DriverError, 'raw'>): string | undefined {
  return noAnswerText.exec(raw)?.[1];
}

/** Storage that runs on the nodes themselves has a part on each, which its own controller needs. */
export const agentDownTexts =
  /\b(?:satellite|agent|instance[- ]manager|io-engine|storage ?node|daemon|engine)\b[^.;]{0,40}\b(?:is )?(?:not (?:online|running|ready|available|connected|reachable)|offline|down|unreachable)\b/i;

/** Two writers of one object in Kubernetes: the next attempt reads the object again (apimachinery NewConflict). */
export const conflictText = /the object has been modified; please apply your changes to the latest version/;

/** The client of the driver was shut out or cut off by the storage: only a new process has a new connection. */
export const cutOffTexts =
  /\bESHUTDOWN\b|\bret=-108\b|transport endpoint (?:shutdown|is not connected)|\bblock-?listed\b|\bblacklisted\b/i;

/** The words of a caller in Go whose time is up; a driver that gives up itself has others. */
export const deadlineText = /context deadline exceeded/i;

/** external-resizer and csi-lib-utils ask the driver what it can do before they call it for a volume. */
export const capabilitiesUnknownTexts =
  /\bfailed to get capabilities\b|\bgetting (?:controller|node|plugin) capabilities\b/i;

/** Something holds the volume on the storage: the driver answered, so a restart of it releases nothing. */
export const volumeHeldTexts =
  /\bis (?:currently |still )?locked\b|another (?:operation|action|task)|operation .{0,60}in progress|\bbusy\b/i;

/** Words about a call, a lock or a job that has not ended. */
export const pendingTexts =
  /\b(?:operation|request|call|lock|task|job|volume|creation)\b[^.;]{0,160}\b(?:already|pending|in progress|in[- ]flight|running|exists|held|locked|ongoing)\b|\b(?:pending|in progress|in[- ]flight|context (?:canceled|deadline exceeded))\b/i;

/** A job that copies data has ended without success. */
export const copyFailedText =
  /\b(?:clon(?:e|ing)|copy(?:ing)?|restore) (?:\w+ )?(?:job|task|operation|process) (?:had |has |was )?failed\b/i;
