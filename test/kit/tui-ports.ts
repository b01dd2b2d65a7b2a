import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { askStatus } from '../../src/core/survey/status/ask-status.ts';
import { askTrace } from '../../src/core/survey/trace/ask-trace.ts';
import { graphOf } from '../../src/core/graph/cluster-graph.ts';
import { diagnose } from '../../src/core/engine/diagnose.ts';
import type { TargetRef } from '../../src/core/kube/selection.ts';
import type { Snapshot } from '../../src/core/kube/snapshot.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import { foldStuck } from '../../src/core/survey/status/status-stuck.ts';
import { askEventsOf, askStorageEvents } from '../../src/core/survey/happenings.ts';
import { withCauses } from '../../src/core/survey/rows/row-causes.ts';
import { askLogPlaces } from '../../src/core/survey/logs/ask-log-places.ts';
import { surveyRows } from '../../src/core/survey/rows/survey-rows.ts';
import type { ClusterFeed, Frame, Freshness, Place, TuiPorts } from '../../src/tui/ports.ts';

/** The demo, in which a pod without its claim is old, so that the list begins with objects that have volumes. */
export function tuiSnapshot(now: Date): Snapshot {
  const demo = demoSnapshot(now);
  const created = new Date(now.getTime() - 90 * 86_400_000).toISOString();
  return {
    ...demo,
    objects: demo.objects.map((object) =>
      object.metadata.name === 'cleaner-0'
        ? { ...object, metadata: { ...object.metadata, creationTimestamp: created } }
        : object,
    ),
  };
}

export function frameOf(
  snapshot: Snapshot,
  place: Place = {},
  freshness: Freshness = { state: 'live', since: snapshot.takenAt },
): Frame {
  const { report } = diagnose(snapshot, {
    breadth: 'everything',
    ...(place.namespace !== undefined && { namespace: place.namespace }),
  });
  return {
    report,
    stuck: foldStuck(report, [], graphOf(snapshot), ''),
    freshness,
    context: place.context ?? 'demo',
    namespace: place.namespace,
  };
}

export interface PortsRecord {
  /** Hands out a new frame, as a watch does. */
  push: (frame: Frame) => void;
  readonly opened: Place[];
  readonly captured: string[];
  readonly logged: TargetRef[];
  readonly probed: { readonly driver: string; readonly exec: boolean }[];
  closed: number;
}

const firstFrames = new WeakMap<Snapshot, Map<string, Frame>>();

/** The frame that a place begins with: a snapshot does not change, so it is judged once for all screens over it. */
function firstFrame(snapshot: Snapshot, place: Place): Frame {
  const frames = firstFrames.get(snapshot) ?? new Map<string, Frame>();
  firstFrames.set(snapshot, frames);
  const key = JSON.stringify([place.context, place.namespace]);
  const frame = frames.get(key) ?? frameOf(snapshot, place);
  frames.set(key, frame);
  return frame;
}

/** The ports of a snapshot that does not change, and a record of what was asked of them. */
export function portsOver(snapshot: Snapshot): { readonly ports: TuiPorts; readonly record: PortsRecord } {
  const listeners = new Set<(frame: Frame) => void>();
  const record: PortsRecord = {
    push: (frame) => listeners.forEach((listener) => listener(frame)),
    opened: [],
    captured: [],
    logged: [],
    probed: [],
    closed: 0,
  };
  const open = async (place: Place): Promise<ClusterFeed> => {
    record.opened.push(place);
    const scope = place.namespace === undefined ? {} : { namespace: place.namespace };
    return {
      subscribe: (listener) => {
        listeners.add(listener);
        listener(firstFrame(snapshot, place));
        return () => listeners.delete(listener);
      },
      why: async (target) => diagnose(snapshot, { targets: [target] }).report.items[0],
      trace: async (target) => askTrace(snapshot, target).trace,
      rows: async (kind) => {
        const survey = surveyRows(snapshot, [{ kind, names: [], ...scope }], 'wide');
        const { answers, unread, takenAt } = withCauses(snapshot, survey);
        return { takenAt, rows: answers[0]?.rows ?? [], unread: [...(answers[0]?.unreadKind ?? []), ...unread] };
      },
      status: async () => askStatus(snapshot, { breadth: 'everything', ...scope }).status,
      events: async (target) =>
        target === undefined ? askStorageEvents(snapshot, place.namespace) : askEventsOf(snapshot, target),
      object: async ({ kind, namespace, name }) =>
        snapshot.objects.find(
          (object) => object.kind === kind && object.metadata.namespace === namespace && object.metadata.name === name,
        ),
      namespaces: async () =>
        snapshot.objects
          .filter(({ kind }) => kind === 'Namespace')
          .map(({ metadata }) => metadata.name)
          .sort(),
      probe: async (driver, { exec }) => {
        record.probed.push({ driver, exec });
        return {
          apiVersion: 'csi.kubectl.dev/v1',
          kind: 'ProbeReport',
          takenAt: snapshot.takenAt,
          items: [],
          summary: { ready: 0, initialising: 0, unhealthy: 0, unreachable: 0, unknown: 0 },
        };
      },
      log: async (target) => {
        record.logged.push(target);
        const { owner, reason, places } = askLogPlaces(snapshot, target);
        return {
          ...(owner !== undefined && { owner }),
          ...(reason !== undefined && { reason }),
          parts: places.map((place, index) =>
            index === 0
              ? { ...place, lines: ['I0506 first line', '\u001b[2Jsecond line'], isCut: true }
              : { ...place, lines: [], isCut: false, refusal: 'This user may not read it (get pods/log): no' },
          ),
          commands: [],
        };
      },
      capture: async (path) => {
        record.captured.push(path);
        return path === '' ? 'csi-capture.json.gz' : path;
      },
      close: async () => {
        record.closed += 1;
        listeners.clear();
      },
    };
  };
  const pages = fileURLToPath(new URL('../../docs/causes/', import.meta.url));
  return {
    ports: {
      open,
      contexts: async () => ['demo', 'staging'],
      causePage: (cause) => readFile(`${pages}${cause}.md`, 'utf8').catch(() => undefined),
    },
    record,
  };
}
