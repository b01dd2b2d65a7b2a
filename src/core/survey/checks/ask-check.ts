import { diagnose } from '../../engine/diagnose.ts';
import type { CheckSurvey } from '../../report/check.ts';
import type { Report } from '../../report/report.ts';
import type { Status } from '../../report/status.ts';
import type { Selection } from '../../kube/selection.ts';
import type { Snapshot } from '../../kube/snapshot.ts';
import { surveyChecks } from './survey-checks.ts';
import type { CheckWishes } from './survey-checks.ts';
import type { Answer } from '../../kube/snapshot.ts';
import { askStatus } from '../status/ask-status.ts';

interface CheckAnswer extends Answer {
  readonly survey: CheckSurvey;
  /** What the checks start from: the survey of `status`, and the report of `why`. */
  readonly status: Status;
  readonly stuck: Report;
  /** Set when the namespace does not exist: similar names. */
  readonly noNamespace?: readonly string[];
}

/** The verdicts, the survey and the checks of one snapshot, and what any of them still needs to read. */
export function askCheck(snapshot: Snapshot, selection: Selection, wishes?: CheckWishes, end = ''): CheckAnswer {
  const { status, needs: statusNeeds, verdicts, noNamespace } = askStatus(snapshot, selection, end);
  const needs = [...statusNeeds];
  const { needs: ownNeeds, ...survey } = surveyChecks(
    snapshot,
    {
      status,
      ...verdicts,
      judge: (targets) => {
        const diagnosis = diagnose(snapshot, { targets });
        needs.push(...diagnosis.needs);
        return diagnosis.report;
      },
    },
    wishes,
  );
  return { survey, status, stuck: verdicts.stuck, needs: [...needs, ...ownNeeds], ...(noNamespace && { noNamespace }) };
}
