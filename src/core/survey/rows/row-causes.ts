import { diagnose } from '../../engine/diagnose.ts';
import type { ReportItem, Unread } from '../../report/report.ts';
import type { Row, RowKind } from '../../report/rows.ts';
import type { TargetRef } from '../../kube/selection.ts';
import type { Snapshot } from '../../kube/snapshot.ts';
import type { RowsSurvey } from './survey-rows.ts';

/** A verdict that is known already. */
type KnownVerdict = (target: TargetRef) => ReportItem | undefined;

/**
 * The survey with the cause of each row that does not look healthy. Only these are diagnosed: the cost follows what is
 * broken.
 */
export function withCauses(snapshot: Snapshot, survey: RowsSurvey, known: KnownVerdict = () => undefined): RowsSurvey {
  const { suspects } = survey;
  if (suspects.length === 0) return survey;
  const { report, needs } = diagnose(snapshot, { targets: suspects.filter((target) => known(target) === undefined) });
  const items = new Map(
    [...report.items, ...suspects.flatMap((target) => known(target) ?? [])].map((item) => [keyOf(item.target), item]),
  );
  const open: Unread[] = [];
  const judged = (kind: RowKind, row: Row): Row => {
    const item = items.get(keyOf({ kind, ...row }));
    if (item?.status === 'unknown') open.push(...item.unread);
    return item === undefined ? row : withVerdict(row, item);
  };
  const answers = survey.answers.map((answer) => ({
    ...answer,
    rows: answer.rows.map((row) => judged(answer.kind, row)),
  }));
  return { ...survey, answers, unread: distinct([...survey.unread, ...open]), needs: [...survey.needs, ...needs] };
}

function withVerdict(row: Row, { status, cause }: ReportItem): Row {
  if (status === 'healthy') return row;
  return {
    ...row,
    ...(status === 'unknown' && { unknown: [...(row.unknown ?? []), 'cause'] }),
    verdict: status,
    ...(cause !== undefined && { cause }),
  };
}

function keyOf({
  kind,
  namespace,
  name,
}: {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}) {
  return `${kind}|${namespace ?? ''}|${name}`;
}

/** Forty claims that lack the same list report it once. */
function distinct(unread: readonly Unread[]): readonly Unread[] {
  return [...new Map(unread.map((entry) => [`${entry.verb} ${entry.resource} ${entry.reason}`, entry])).values()];
}
