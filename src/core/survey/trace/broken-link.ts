import type { Evidence, ReportItem, Stage } from '../../report/report.ts';
import type { LinkRole, TraceLink } from '../../report/trace.ts';

/** The links that can have the problem in a stage, the most likely first. */
const rolesOfStage: Readonly<Record<Stage, readonly LinkRole[]>> = {
  claim: ['claim', 'class'],
  provision: ['provisioner', 'volume', 'class'],
  bind: ['volume', 'claim'],
  schedule: ['pod'],
  attach: ['attachment', 'attacher', 'pod'],
  mount: ['nodePlugin', 'registration', 'pod'],
  expand: ['resizer', 'claim'],
  modify: ['resizer', 'claim'],
  snapshot: ['content', 'snapshot'],
  delete: ['claim', 'volume', 'attachment', 'snapshot', 'content', 'pod'],
};

const isBad = ({ state }: TraceLink): boolean => state === 'failed' || state === 'missing';
const isPending = ({ state }: TraceLink): boolean => state === 'pending';

/**
 * Marks the link that the verdict of a blocked target is about: one that the evidence names and that is failed or
 * missing, otherwise a failed or pending one of the stage, otherwise any that the evidence names.
 */
export function markBroken(
  chain: readonly TraceLink[],
  item: Pick<ReportItem, 'status' | 'stage' | 'findings'>,
): TraceLink[] {
  if (item.status !== 'blocked' || item.stage === undefined) return [...chain];
  const evidence = item.findings.find(({ role }) => role === 'cause')?.evidence ?? [];
  const roles = rolesOfStage[item.stage];
  const named = chain.filter((link) => evidence.some((piece) => isAbout(link, piece)));
  const staged = roles.flatMap((role) => chain.filter((link) => link.role === role));
  const broken =
    named.find(isBad) ??
    staged.find(({ state }) => state === 'failed') ??
    staged.find(isPending) ??
    named.find(isPending) ??
    named[0] ??
    staged[0] ??
    // What keeps it is none of its links, such as an access to a bucket.
    chain.at(-1);
  return chain.map((link) => (link === broken ? { ...link, isBroken: true } : link));
}

function isAbout({ object }: TraceLink, { object: other }: Evidence): boolean {
  return (
    object !== undefined &&
    object.kind === other.kind &&
    object.name === other.name &&
    (object.namespace ?? '') === (other.namespace ?? '')
  );
}
