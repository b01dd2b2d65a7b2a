import type { Finding, ObjectRef, ReportItem, Unread } from '../../report/report.ts';
import type { Objection, PreflightStatus } from '../../report/preflight.ts';
import { fixBeforehand, isForeseen } from './foreseeable.ts';
import { namesImagined, withoutUids } from './imagine.ts';
import type { Placement } from './placement.ts';

/** What would become of one claim, pod or other object. */
export interface Outcome {
  status: PreflightStatus;
  note: string;
  objection?: Objection;
  readonly warnings: Objection[];
  readonly unread: Unread[];
  /** Fitting nodes where a driver of the pod is missing. */
  without: Placement['without'];
}

/** The outcomes of a rehearsal, by object. */
export class Outcomes {
  readonly #byKey = new Map<string, Outcome>();
  readonly #isImagined: (object: ObjectRef) => boolean;

  constructor(isImagined: (object: ObjectRef) => boolean) {
    this.#isImagined = isImagined;
  }

  of({ kind, namespace, name }: ObjectRef): Outcome {
    const key = `${kind}|${namespace ?? ''}|${name}`;
    const known = this.#byKey.get(key) ?? { status: 'ok', note: '', warnings: [], unread: [], without: [] };
    this.#byKey.set(key, known);
    return known;
  }

  wouldFail(ref: ObjectRef): boolean {
    return this.of(ref).status === 'wouldFail';
  }

  warn(ref: ObjectRef, doubt: Objection | Finding | undefined): void {
    const { warnings } = this.of(ref);
    if (doubt && !warnings.some(({ cause }) => cause === doubt.cause)) warnings.push(this.objectionOf(doubt));
  }

  /** Takes over what the diagnosis of the imagined objects reports about one of them. */
  take(item: ReportItem): void {
    for (const finding of item.findings) if (isWarning(finding)) this.warn(item.target, finding);
    const cause = item.findings.find(({ role }) => role === 'cause');
    const status = statusOf(item, cause);
    if (status && cause)
      Object.assign(this.of(item.target), {
        status,
        objection: this.objectionOf(cause),
        note: withoutUids(item.summary),
      });
    else if (isUndecided(item, cause)) this.#addUnread(item);
  }

  #addUnread(item: ReportItem): void {
    const outcome = this.of(item.target);
    // An object that does not exist yet has no events.
    const unread = item.unread.filter(({ resource, reason }) => resource !== 'events' && reason !== 'absent');
    const isKnown = (entry: Unread): boolean =>
      outcome.unread.some(({ resource, needed }) => resource === entry.resource && needed === entry.needed);
    outcome.unread.push(...unread.filter((entry) => !isKnown(entry)));
    if (unread.length > 0) outcome.status = 'unknown';
  }

  /** The finding in the words for objects that do not exist yet. */
  objectionOf({ cause, stage, confidence, summary, evidence, fix }: Objection | Finding): Objection {
    return {
      cause,
      stage,
      confidence,
      summary: withoutUids(summary),
      evidence: evidence
        .filter(({ value }) => !namesImagined(value))
        .map(({ object: { uid: _uid, ...object }, path, value }) => ({
          object,
          ...(path !== undefined && { path }),
          ...(value !== undefined && { value }),
        })),
      fix: fix.map((step) => fixBeforehand(step, this.#isImagined)),
    };
  }
}

function isWarning(finding: Finding): boolean {
  const isDoubt = finding.role === 'cause' && finding.severity === 'blocking' && !isForeseen(finding);
  const isAdvice = finding.role === 'advice' && finding.severity === 'warning';
  return (isDoubt || isAdvice) && finding.cause !== 'blocked-unexplained';
}

function statusOf(item: ReportItem, cause: Finding | undefined): PreflightStatus | undefined {
  if (item.status === 'blocked' && cause && cause.cause !== 'blocked-unexplained' && isForeseen(cause))
    return 'wouldFail';
  return item.status === 'waiting' && cause && cause.cause !== 'in-progress' ? 'wouldWait' : undefined;
}

/** Attaching and mounting are up to the driver: what could not be read about them leaves nothing undecided. */
function isUndecided(item: ReportItem, cause: Finding | undefined): boolean {
  if (item.stage === 'attach' || item.stage === 'mount') return false;
  return item.status === 'unknown' || (item.status === 'blocked' && cause !== undefined && !isForeseen(cause));
}
