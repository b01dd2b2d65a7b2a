import { preflight } from '../../src/commands/preflight/answer.ts';
import { renderPreflightPage } from '../../src/commands/preflight/html.ts';
import { renderWhatIfPage } from '../../src/commands/what-if/html.ts';
import { judgeFindings } from '../../src/commands/check/answer.ts';
import { renderCheckPage } from '../../src/html/check/page.ts';
import { renderStatusPage } from '../../src/html/status/page.ts';
import { renderTracePage } from '../../src/commands/trace/html.ts';
import { diagnose } from '../../src/core/engine/diagnose.ts';
import type { TargetRef } from '../../src/core/kube/selection.ts';
import type { RawObject, Snapshot } from '../../src/core/kube/snapshot.ts';
import type { CheckReport } from '../../src/core/report/check.ts';
import type { PreflightReport } from '../../src/core/report/preflight.ts';
import type { Report } from '../../src/core/report/report.ts';
import type { Status } from '../../src/core/report/status.ts';
import type { Trace } from '../../src/core/report/trace.ts';
import type { WhatIfReport } from '../../src/core/report/what-if.ts';
import { askCheck } from '../../src/core/survey/checks/ask-check.ts';
import { askStatus } from '../../src/core/survey/status/ask-status.ts';
import { askTrace } from '../../src/core/survey/trace/ask-trace.ts';
import { renderReportPage } from '../../src/html/verdict/report.ts';

/** The documents that can be shown as a page, of one cluster. */
export interface Documents {
  readonly one: Report;
  readonly all: Report;
  readonly status: Status;
  readonly check: CheckReport;
  readonly preflight: PreflightReport;
  readonly whatIf: WhatIfReport;
  readonly trace?: Trace;
}

const tracedKinds = ['PersistentVolumeClaim', 'Pod', 'PersistentVolume', 'VolumeAttachment', 'VolumeSnapshot'];

export function documentsOf(snapshot: Snapshot, target: TargetRef): Documents {
  const trace = tracedKinds.includes(target.kind) ? askTrace(snapshot, target).trace : undefined;
  const manifest = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: target.name, namespace: target.namespace ?? 'shop' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: target.name },
  } as unknown as RawObject;
  return {
    one: diagnose(snapshot, { targets: [target] }).report,
    all: diagnose(snapshot, { breadth: 'everything' }).report,
    status: askStatus(snapshot, { breadth: 'everything' }, '').status,
    check: judgeFindings(askCheck(snapshot, {}).survey, { failOn: 'blocking', ignores: [], baseline: undefined }),
    preflight: preflight(
      snapshot,
      [{ object: manifest, place: { file: `${target.name}.yaml`, line: 1, document: 1 }, lines: {} }],
      'shop',
    ).report,
    whatIf: whatIfOf(snapshot, target),
    ...(trace !== undefined && { trace }),
  };
}

/** One effect of each severity, with the evidence and the fixes of the diagnosis. */
function whatIfOf(snapshot: Snapshot, target: TargetRef): WhatIfReport {
  const { takenAt, source, items } = diagnose(snapshot, { targets: [target] }).report;
  const objects = items.map((item) => item.target);
  const [finding] = items.flatMap(({ findings }) => findings);
  const effects = (['breaks', 'wait', 'notice'] as const).map((severity) => ({
    effect: 'cannot-start' as const,
    severity,
    confidence: 'certain' as const,
    cause: finding?.cause ?? 'pod-missing',
    summary: finding?.summary ?? 'It could not start.',
    objects,
    places: objects.map((object) => ({ object, fits: 1, nodes: ['node-a'] })),
    evidence: finding?.evidence ?? [],
    prevention: finding?.fix ?? [],
    fix: finding?.fix ?? [],
  }));
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'WhatIfReport',
    takenAt,
    source,
    operations: [{ verb: 'drain', text: 'drain node-a', objects: [{ kind: 'Node', name: 'node-a' }] }],
    verdict: 'breaks',
    effects,
    unforeseen: ['whether the node comes back'],
    unread: items.flatMap(({ unread }) => unread),
    summary: {
      ...{ breaks: 1, waits: 1, displaced: 1, moving: 0, notStarting: 1 },
      ...{ claimsDeleted: 0, volumesDeleted: 0, volumesOrphaned: 0, snapshotsDeleted: 0 },
    },
  };
}

/** A page for each document. */
export function pagesOf({
  one,
  all,
  status,
  check,
  preflight: report,
  whatIf,
  trace,
}: Documents): Record<string, string> {
  return {
    one: renderReportPage(one, { named: true }),
    all: renderReportPage(all, { scope: 'the cluster' }),
    status: renderStatusPage(status),
    check: renderCheckPage(check),
    preflight: renderPreflightPage(report),
    whatIf: renderWhatIfPage(whatIf),
    ...(trace !== undefined && { trace: renderTracePage(trace) }),
  };
}

/** Ends every context of a page: text, a quoted attribute, a comment, a script, a style. */
export const hostileText = `h4x"'\`></pre></script></style>--><img src=x onerror="window.h4x=1"><script>window.h4x=1</script>\${h4x}`;

/** The words of our own that choose a glyph; everything else may come from a cluster. */
const ownWords = new Set([
  ...[
    'status',
    'state',
    'severity',
    'role',
    'risk',
    'effect',
    'verdict',
    'outcome',
    'level',
    'certainty',
    'extent',
    'result',
    'type',
  ],
  ...['placed', 'driversKnown', 'nodesKnown', 'capacityKnown'],
]);

/** The same document in which every other string is hostile, and times stay times. */
export function withHostileTexts<Document extends object>(document: Document): Document {
  const visit = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return ownWords.has(key) ? value : value + hostileText;
    if (Array.isArray(value)) return value.map((item) => visit(item, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, visit(item, name)]));
  };
  return visit(document, '') as Document;
}
