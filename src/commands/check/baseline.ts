import type { BaselineEntry, JudgedFinding } from '../../core/report/check.ts';

const apiVersion = 'csi.kubectl.dev/v1';
const kind = 'CheckBaseline';

/** Undefined if the text is not a baseline. */
export function parseBaseline(text: string): BaselineEntry[] | undefined {
  const document = parseObject(text);
  if (document?.['apiVersion'] !== apiVersion || document['kind'] !== kind) return undefined;
  const { findings } = document;
  return Array.isArray(findings) && findings.every(isEntry) ? findings : undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is BaselineEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { id, severity, kind, name, namespace, context } = value as Record<string, unknown>;
  return (
    [id, severity, kind, name].every((field) => typeof field === 'string') &&
    [namespace, context].every((field) => field === undefined || typeof field === 'string')
  );
}

/** Sorted, and without times, ages and sentences: the same findings always give the same file. */
export function renderBaseline(findings: readonly JudgedFinding[]): string {
  const entries = findings.filter(({ outcome, severity }) => outcome !== 'ignored' && severity !== 'info').map(entryOf);
  const sorted = [...new Map(entries.map((entry) => [keyOf(entry), entry])).entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, entry]) => entry);
  return `${JSON.stringify({ apiVersion, kind, findings: sorted }, null, 2)}\n`;
}

/** Findings that are in the baseline are known; a warning that has become blocking is new. */
export function applyBaseline(
  findings: readonly JudgedFinding[],
  baseline: readonly BaselineEntry[],
): { readonly findings: readonly JudgedFinding[]; readonly gone: readonly BaselineEntry[] } {
  const known = new Set(baseline.map(keyOf));
  const found = new Set(findings.map((finding) => keyOf(entryOf(finding))));
  return {
    findings: findings.map((finding) =>
      finding.outcome === 'new' && known.has(keyOf(entryOf(finding)))
        ? { ...finding, outcome: 'known' as const }
        : finding,
    ),
    gone: baseline.filter((entry) => !found.has(keyOf(entry))),
  };
}

function entryOf({ id, severity, context, object: { kind, namespace, name } }: JudgedFinding): BaselineEntry {
  return {
    ...(context !== undefined && { context }),
    id,
    severity,
    kind,
    ...(namespace !== undefined && { namespace }),
    name,
  };
}

/** The entries about one of several clusters; an entry that names no context is about all of them. */
export function baselineOf(context: string, entries: readonly BaselineEntry[]): BaselineEntry[] {
  return entries.flatMap(({ context: home, ...entry }) => (home === undefined || home === context ? [entry] : []));
}

function keyOf({ context = '', id, severity, kind, namespace = '', name }: BaselineEntry): string {
  return [id, severity, kind, namespace, name, context].join('|');
}
