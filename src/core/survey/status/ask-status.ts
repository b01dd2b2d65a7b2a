import { diagnose } from '../../engine/diagnose.ts';
import type { Selection } from '../../kube/selection.ts';
import type { Snapshot } from '../../kube/snapshot.ts';
import type { Report, ReportItem } from '../../report/report.ts';
import { surveyStatus } from './status.ts';
import type { StatusSurvey } from './status.ts';

interface StatusAnswer extends StatusSurvey {
  /** The verdicts that the survey is based on. */
  readonly verdicts: { readonly stuck: Report; readonly drivers: readonly ReportItem[] };
  /** Set when the namespace does not exist: similar names. */
  readonly noNamespace?: readonly string[];
}

/** The survey and the verdicts of one snapshot, and what either of them still needs to read. */
export function askStatus(snapshot: Snapshot, selection: Selection, end = ''): StatusAnswer {
  const stuck = diagnose(snapshot, selection);
  const needs = [...stuck.needs];
  let drivers: readonly ReportItem[] = [];
  const judgeDrivers = (names: readonly string[]) => {
    const diagnosis = diagnose(snapshot, { targets: names.map((name) => ({ kind: 'CSIDriver', name })) });
    needs.push(...diagnosis.needs);
    return (drivers = diagnosis.report.items);
  };
  const survey = surveyStatus(
    snapshot,
    { commandEnd: end, ...(selection.namespace !== undefined && { namespace: selection.namespace }) },
    { stuck: stuck.report, judgeDrivers },
  );
  return {
    ...survey,
    needs: [...needs, ...survey.needs],
    verdicts: { stuck: stuck.report, drivers },
    ...(stuck.noNamespace && { noNamespace: stuck.noNamespace }),
  };
}
