import type { Finding, ReportItem, Stage } from '../../core/report/report.ts';
import type { Goal, GoalState, WaitState, Wish } from '../../core/report/wait.ts';
import { barsAppearance, lastingCauses, waitsForRoom, waitsForSomeone } from '../../core/causes/lib/lasting-causes.ts';

const untilBound: readonly Stage[] = ['claim', 'provision', 'bind', 'schedule'];
/** The stages that a target passes before its goal; what fails after the goal does not matter to the wait. */
const stagesBefore: Readonly<Record<Goal, readonly Stage[]>> = {
  bound: untilBound,
  attached: [...untilBound, 'attach'],
  mounted: [...untilBound, 'attach', 'mount'],
  ready: [...untilBound, 'attach', 'mount', 'snapshot'],
  resized: [...untilBound, 'expand'],
  // An attachment has one stage only, for attaching and for detaching.
  deleted: ['delete', 'attach'],
};

/** What to expect of a target: its current stage, and what the diagnosis reports about the stages before its goal. */
export function judgeProspect(wish: Wish, goal: GoalState, item: ReportItem | undefined): WaitState {
  const state = prospectOf(wish, goal, item);
  return {
    wish,
    ...state,
    ...(goal.uid !== undefined && { uid: goal.uid }),
    ...(goal.isRefused && { isRefused: true }),
    ...(item && state.prospect !== 'reached' && { item }),
  };
}

type Judgement = Pick<WaitState, 'prospect' | 'stage' | 'cause' | 'summary' | 'since'>;

function prospectOf({ goal: wished }: Wish, goal: GoalState, item: ReportItem | undefined): Judgement {
  const finding = obstacleOf(wished, goal, item);
  if (goal.state === 'reached' && !(goal.isDoubtful && finding)) return { prospect: 'reached', summary: goal.note };
  if (goal.state === 'absent')
    return finding && barsAppearance(finding.cause)
      ? obstacle(finding, item)
      : { prospect: 'absent', summary: goal.note };
  if (goal.state === 'unknown') return { prospect: 'unknown', summary: goal.note };
  if (goal.waitsForSomeone) return { prospect: 'someone', summary: goal.note };
  if (finding) return obstacle(finding, item, goal);
  if (goal.isOver) return { prospect: 'blocked', summary: goal.note };
  if (!item || item.status === 'healthy') return { prospect: 'waiting', summary: goal.note };
  const place = placeOf(item);
  if (item.status === 'unknown') return { prospect: 'waiting', summary: item.summary, ...place };
  const prospect = item.cause !== undefined && waitsForSomeone.has(item.cause) ? 'someone' : 'waiting';
  const row = item.stages.find(({ stage }) => stage === item.stage);
  const summary = item.cause === 'in-progress' ? (row?.note ?? item.summary) : item.summary;
  return { prospect, summary, ...place, ...(item.cause !== undefined && { cause: item.cause }) };
}

/** The first finding that blocks a stage on the way to the goal. */
function obstacleOf(wished: Goal, { isTerminating }: GoalState, item: ReportItem | undefined): Finding | undefined {
  const stages = isTerminating ? [...stagesBefore.deleted, ...stagesBefore[wished]] : stagesBefore[wished];
  return item?.findings.find(
    ({ role, severity, stage }) => role !== 'advice' && severity === 'blocking' && stages.includes(stage),
  );
}

function obstacle(
  { cause, confidence, summary, stage }: Finding,
  item: ReportItem | undefined,
  goal?: GoalState,
): Judgement {
  const shared = { stage, cause, summary, ...sinceOf(item, stage) };
  // A cause that is only possible, or unexplained, proves nothing; room may become free.
  if (confidence === 'possible' || cause === 'blocked-unexplained' || waitsForRoom.has(cause))
    return { prospect: 'waiting', ...shared };
  // An object that is being deleted may be created again.
  const isLasting = confidence === 'certain' && lastingCauses.has(cause) && goal?.isTerminating !== true;
  return { prospect: isLasting ? 'lasting' : 'blocked', ...shared };
}

function placeOf(item: ReportItem): Pick<Judgement, 'stage' | 'since'> {
  return item.stage === undefined ? {} : { stage: item.stage, ...sinceOf(item, item.stage) };
}

function sinceOf(item: ReportItem | undefined, stage: Stage): { readonly since?: string } {
  const since = item?.stages.find((row) => row.stage === stage)?.since;
  return since === undefined ? {} : { since };
}
