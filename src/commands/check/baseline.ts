import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { BaselineEntry, JudgedFinding } from '../../core/report/check.ts';
import { EnvironmentError, UserError } from '../../core/kube/errors.ts';

const apiVersion = 'csi.kubectl.dev/v1';
const kind = 'CheckBaseline';

export function readBaseline(file: string): BaselineEntry[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new UserError(
      `the baseline ${file} cannot be read: ${isMissing ? 'it does not exist' : (error as Error).message}`,
      isMissing ? `--write-baseline ${file} writes it` : undefined,
      { cause: error },
    );
  }
  const entries = parseBaseline(text);
  if (entries === undefined) throw new UserError(`${file} is not a baseline`, `--write-baseline ${file} writes one`);
  return entries;
}

function parseBaseline(text: string): BaselineEntry[] | undefined {
  let document: { readonly apiVersion?: unknown; readonly kind?: unknown; readonly findings?: unknown } | null;
  try {
    document = JSON.parse(text) as typeof document;
  } catch {
    return undefined;
  }
  if (
    typeof document !== 'object' ||
    document?.apiVersion !== apiVersion ||
    document.kind !== kind ||
    !Array.isArray(document.findings)
  )
    return undefined;
  return document.findings.every(isEntry) ? document.findings : undefined;
}

function isEntry(value: unknown): value is BaselineEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { id, severity, kind, name, namespace } = value as Record<string, unknown>;
  return (
    [id, severity, kind, name].every((field) => typeof field === 'string') &&
    (namespace === undefined || typeof namespace === 'string')
  );
}

/** Without times, ages or sentences, and in one order: the same trouble gives the same file. */
export function renderBaseline(findings: readonly JudgedFinding[]): string {
  const entries = findings.filter(({ outcome, severity }) => outcome !== 'ignored' && severity !== 'info').map(entryOf);
  const sorted = [...new Map(entries.map((entry) => [keyOf(entry), entry])).entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, entry]) => entry);
  return `${JSON.stringify({ apiVersion, kind, findings: sorted }, null, 2)}\n`;
}

export async function writeBaseline(file: string, findings: readonly JudgedFinding[]): Promise<void> {
  await writeFile(file, renderBaseline(findings)).catch((error: unknown) => {
    throw new EnvironmentError(`the baseline ${file} cannot be written: ${(error as Error).message}`, undefined, {
      cause: error,
    });
  });
}

/** What stands in the baseline is known; a warning that has become blocking is news. */
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

function entryOf({ id, severity, object: { kind, namespace, name } }: JudgedFinding): BaselineEntry {
  return { id, severity, kind, ...(namespace !== undefined && { namespace }), name };
}

function keyOf({ id, severity, kind, namespace = '', name }: BaselineEntry): string {
  return [id, severity, kind, namespace, name].join('|');
}
