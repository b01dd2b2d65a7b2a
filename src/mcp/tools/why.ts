import { endOfSource, inChosenCluster } from '../../cli/chosen-cluster.ts';
import { diagnoseStuck } from '../../cli/diagnosis/diagnose-stuck.ts';
import { exitCodeOf } from '../../cli/exit-codes.ts';
import type { ClusterSource } from '../../cli/open-source.ts';
import type { Question } from '../../cli/question.ts';
import { sayStuckElsewhere } from '../../cli/diagnosis/stuck-elsewhere.ts';
import { judgedKinds, parseTargets } from '../../cli/targets.ts';
import type { NamedTarget } from '../../cli/targets.ts';
import { proveFixes } from '../../core/engine/fixes/prove-fixes.ts';
import { UserError } from '../../core/kube/errors.ts';
import { shortNameOf } from '../../core/kube/resources.ts';
import { workloadKinds } from '../../core/kube/selection.ts';
import type { ObjectRef, Report, ReportItem } from '../../core/report/report.ts';
import { renderText } from '../../terminal/verdict/text.ts';
import type { Finding } from '../answer.ts';
import type { Arguments } from '../arguments.ts';
import { spread } from '../spread.ts';
import { defineTool, paper } from '../tool.ts';
import type { Call, Tool } from '../tool.ts';
import { scopeFields } from './fields.ts';

const fields = {
  targets: {
    type: 'list',
    entry: 'TYPE/NAME, such as pvc/data-0',
    mostEntries: 50,
    description:
      'Objects as TYPE/NAME, such as pvc/data-0 or pod/web-0. None: everything that is stuck in the namespace. ' +
      'A name without a type is a claim.',
  },
  ...scopeFields,
  details: {
    type: 'switch',
    description: 'Evidence and fixes of every cause in the text, however many causes there are.',
  },
} as const;
type Given = Arguments<typeof fields>;

export const why: Tool = defineTool({
  name: 'why',
  title: 'Why is storage stuck?',
  description: `Root cause, evidence and fix for storage objects that are stuck: Pending, ContainerCreating, Terminating, Lost, Released, Failed, not resizing, not ready.
Types: pvc, pod, pv, sc, va, vac, vs, vsc, csidriver, node, ns, bucketclaim, bucketaccess, bucket, and workloads (sts, deploy, ds, rs, job, cronjob).
Use it first when a claim or a pod with volumes does not work. "waiting" means waiting by design, not a fault; "unknown" means that something could not be read, never that it is healthy.`,
  fields,
  output: 'report',
  readsCluster: true,
  run: (given, call) => explain(given, call, 'everything'),
});

export const whyPending: Tool = defineTool({
  name: 'why_pending',
  title: 'Why is a claim Pending?',
  description:
    'The first broken step between a claim and a running pod, with evidence and fix: ' +
    'why claims are Pending and pods wait for their volumes. TYPE is pvc or pod. ' +
    'For anything else that is stuck, use why.',
  fields,
  output: 'report',
  readsCluster: true,
  run: (given, call) => explain(given, call, 'pending'),
});

async function explain(given: Given, { operator, open }: Call, breadth: keyof typeof judgedKinds): Promise<Finding> {
  const targets = await parseTargets(given.targets, { kinds: judgedKinds[breadth] });
  refuseContradictions(targets, given);
  const source = await open();
  const { question, diagnosis, missing } = await diagnoseStuck(source, {
    targets,
    namespace: given.namespace ?? operator.namespace,
    everywhere: given.all_namespaces,
    selector: given.selector,
    breadth,
    asksWhoWaits: true,
    foresees: true,
    ...(operator.logUse && { logs: operator.logUse }),
  });
  const { report, snapshot } = diagnosis;
  const { items, summary } = report;
  if (missing !== undefined && items.length === 0) throw missing;
  const proven = await inChosenCluster(summary.blocked === 0 ? report : proveFixes(report, snapshot), operator);
  const text = renderText(proven, {
    ...paper,
    details: given.details,
    named: isNamed(targets) || (question.targets.length > 0 && items.length === 1),
    scope: scopeOf(question, source),
    endOf: endOfSource(operator),
  });
  const elsewhere =
    summary.blocked + summary.unknown > 0
      ? undefined
      : await sayStuckElsewhere(source, question, endOfSource(operator)());
  return {
    document: inOrder(proven),
    text: elsewhere === undefined ? text : `${text}\n${elsewhere}\n`,
    exitCode: exitCodeOf(report),
    essential: 'causes',
    narrower: 'Pass one namespace, a selector, or one object of a cause as targets: ["TYPE/NAME"]',
    problem: missing,
  };
}

function refuseContradictions(targets: readonly NamedTarget[], { all_namespaces: everywhere, selector }: Given): void {
  if (targets.length === 0) return;
  if (everywhere)
    throw new UserError('targets cannot be combined with all_namespaces', 'Pass the namespace of the targets');
  if (selector !== undefined) throw new UserError('targets cannot be combined with selector', 'Remove one of them');
}

/** Of a workload only what is stuck is shown, as of a search. */
function isNamed(targets: readonly NamedTarget[]): boolean {
  return targets.some(({ kind }) => !workloadKinds.some((workload) => workload === kind));
}

function scopeOf({ targets, everywhere, namespace }: Question, source: ClusterSource): string {
  if (targets.length > 0) return targets.map(({ kind, name }) => `${shortNameOf(kind)}/${name}`).join(', ');
  if (everywhere) return source.isLive ? 'the cluster' : 'the dump';
  return namespace ? `namespace ${namespace}` : source.usualScope;
}

const rank: Readonly<Record<ReportItem['status'], number>> = { blocked: 0, unknown: 1, waiting: 2, healthy: 3 };

/** What is blocked first, and one item of each cause before the second of any. */
function inOrder(report: Report): Report {
  const keyOf = ({ kind, namespace = '', name }: ObjectRef): string => `${kind}/${namespace}/${name}`;
  const groups = new Map(
    report.causes.flatMap(({ targets }, index) => targets.map((target) => [keyOf(target), String(index)] as const)),
  );
  const items = report.items.toSorted((a, b) => rank[a.status] - rank[b.status]);
  const byStatus = [...Map.groupBy(items, ({ status }) => status).values()];
  return {
    ...report,
    items: byStatus.flatMap((group) => spread(group, ({ target }) => groups.get(keyOf(target)) ?? '')),
  };
}
