import type { ComponentLog } from '../core/report/component-log.ts';
import type { Freshness } from '../core/report/freshness.ts';
import type { Happenings } from '../core/report/happenings.ts';
import type { ProbeReport } from '../core/report/probe-report.ts';
import type { Report, ReportItem, Unread } from '../core/report/report.ts';
import type { Row, RowKind } from '../core/report/rows.ts';
import type { TargetRef } from '../core/kube/selection.ts';
import type { RawObject } from '../core/kube/snapshot.ts';
import type { Status, StuckCause } from '../core/report/status.ts';
import type { Trace } from '../core/report/trace.ts';

export type { Freshness };

/** What is known of the cluster at one moment. */
export interface Frame {
  readonly report: Report;
  /** The report folded by cause, the latest first. */
  readonly stuck: readonly StuckCause[];
  readonly freshness: Freshness;
  readonly context: string;
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined;
}

/** The rows of one kind, as `get` has them. */
export interface KindRows {
  readonly takenAt: string;
  readonly rows: readonly Row[];
  /** What could not be read for it. */
  readonly unread: readonly Unread[];
}

export interface Place {
  readonly context?: string | undefined;
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined;
}

/** One cluster, or one dump, and the questions that it answers. */
export interface ClusterFeed {
  /** Calls back with the latest frame: at once if there is one, and after changes, a few times a second at most. */
  subscribe(listener: (frame: Frame) => void): () => void;
  /** The journey of any object; undefined when there is no such object. */
  why(target: TargetRef): Promise<ReportItem | undefined>;
  /** The chain and the timeline; undefined where there is none. */
  trace(target: TargetRef): Promise<Trace | undefined>;
  rows(kind: RowKind): Promise<KindRows>;
  status(): Promise<Status>;
  /** Without a target: all events about storage in the scope. */
  events(target?: TargetRef): Promise<Happenings>;
  object(target: TargetRef): Promise<RawObject | undefined>;
  namespaces(): Promise<readonly string[]>;
  /** Without `exec` nothing is executed in the cluster: the health check is read through the API server. */
  probe(driver: string, options: { readonly exec: boolean }): Promise<ProbeReport>;
  /** The last lines of the component that owns the stage at which the object is stuck. */
  log(target: TargetRef): Promise<ComponentLog>;
  /**
   * Writes the snapshot behind the screen to a file and returns its name; an empty path stands for a generated name.
   */
  capture(path: string): Promise<string>;
  close(): Promise<void>;
}

/** All that the screen needs from outside. */
export interface TuiPorts {
  open(place: Place): Promise<ClusterFeed>;
  /** The contexts of the kubeconfig; none for a dump. */
  contexts(): Promise<readonly string[]>;
  /** The page of a cause, in Markdown. */
  causePage(cause: string): Promise<string | undefined>;
}
