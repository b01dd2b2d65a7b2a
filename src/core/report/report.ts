import type { Source } from '../kube/snapshot.ts';
import type { LogAccount } from './log-account.ts';

export type Stage =
  'claim' | 'provision' | 'bind' | 'schedule' | 'attach' | 'mount' | 'expand' | 'modify' | 'snapshot' | 'delete';
export type StageState = 'passed' | 'open' | 'blocked' | 'waiting' | 'unreached' | 'notApplicable' | 'unknown';
export type Status = 'blocked' | 'waiting' | 'healthy' | 'unknown';
export type Severity = 'blocking' | 'warning' | 'info';
export type Confidence = 'certain' | 'likely' | 'possible';
type Role = 'cause' | 'consequence' | 'advice';
export type Risk = 'safe' | 'disruptive' | 'data-loss';

export interface ObjectRef {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  /** The cluster, where a document is about several. */
  readonly context?: string;
}

export interface Evidence {
  readonly object: ObjectRef;
  /** Where in the object, e.g. spec.storageClassName; an event is `event REASON`, a line of a log `log[CONTAINER]`. */
  readonly path?: string;
  readonly value?: string;
  readonly at?: string;
}

/** What the diagnosis would be once a fix has been applied. */
export interface FixOutcome {
  readonly status: Status;
  readonly cause?: string;
  readonly summary: string;
}

export interface Fix {
  readonly text: string;
  /** The first step. */
  readonly command?: string;
  /** All steps in order, where there is more than one. */
  readonly commands?: readonly string[];
  readonly risk: Risk;
  /** Absent where it cannot be foreseen. */
  readonly after?: FixOutcome;
}

export interface Finding {
  readonly cause: string;
  readonly stage: Stage;
  readonly role: Role;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly summary: string;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

export interface StageResult {
  readonly stage: Stage;
  readonly state: StageState;
  readonly since?: string;
  readonly note?: string;
}

export interface Unread {
  readonly resource: string;
  readonly verb: 'get' | 'list';
  readonly reason: 'forbidden' | 'absent' | 'failed' | 'not in the dump' | 'not read';
  readonly needed: string;
  readonly message?: string;
  readonly context?: string;
}

export interface ReportItem {
  /** The cluster, where the report is about several. */
  readonly context?: string;
  readonly target: ObjectRef;
  readonly status: Status;
  /** The word kubectl shows for it: Pending, Bound, ContainerCreating. */
  readonly phase?: string;
  readonly stage?: Stage;
  readonly cause?: string;
  readonly summary: string;
  readonly stages: readonly StageResult[];
  readonly findings: readonly Finding[];
  readonly unread: readonly Unread[];
  /** Present where logs were read for it. */
  readonly logs?: LogAccount;
}

export interface ReportCause {
  readonly cause: string;
  readonly summary: string;
  readonly targets: readonly ObjectRef[];
}

export interface Report {
  readonly apiVersion: 'csi.kubectl.dev/v1';
  readonly kind: 'Report';
  readonly takenAt: string;
  readonly source: Source;
  readonly items: readonly ReportItem[];
  readonly causes: readonly ReportCause[];
  /** What a search for stuck objects could not read; absent if it read everything. */
  readonly unread?: readonly Unread[];
  readonly summary: {
    readonly blocked: number;
    readonly waiting: number;
    readonly healthy: number;
    readonly unknown: number;
  };
}
