import { sourceOf, connectCluster } from '../../../cli/cluster-source.ts';
import { followCluster } from '../../../cli/follow/follow-cluster.ts';
import type { ClusterSource } from '../../../cli/open-source.ts';
import { noNamespaceError, notFoundError } from '../../../cli/question.ts';
import { choiceOf } from '../../../cli/chosen-cluster.ts';
import { commandEnd, readsDump, usageOptionsOf } from '../../../cli/source-flags.ts';
import type { SourceValues } from '../../../cli/source-flags.ts';
import type { ConnectionValues } from '../../../cli/connection-flags.ts';
import { withoutAges } from '../../../cli/watch-loop.ts';
import { inNamespace, judgedKinds, listedKind, parseTargets } from '../../../cli/targets.ts';
import { diagnose } from '../../../core/engine/diagnose.ts';
import { documentInContext } from '../../../core/survey/contexts/document-in-context.ts';
import { proveFixes } from '../../../core/engine/fixes/prove-fixes.ts';
import { UserError } from '../../../core/kube/errors.ts';
import { resourceOf } from '../../../core/kube/resources.ts';
import { sha256 } from '../../../core/kube/sha256.ts';
import type { Snapshot } from '../../../core/kube/snapshot.ts';
import { checkReportOf } from '../../../core/report/check.ts';
import type { CheckReport } from '../../../core/report/check.ts';
import type { Freshness } from '../../../core/report/freshness.ts';
import type { Report } from '../../../core/report/report.ts';
import { isRowKind, rowKinds } from '../../../core/report/rows.ts';
import type { RowQuestion } from '../../../core/report/rows.ts';
import type { Status } from '../../../core/report/status.ts';
import { askCheck } from '../../../core/survey/checks/ask-check.ts';
import { listOf } from '../../../core/survey/rows/row-list.ts';
import { withCauses } from '../../../core/survey/rows/row-causes.ts';
import { surveyRows } from '../../../core/survey/rows/survey-rows.ts';
import type { LiveView } from '../../../html/live.ts';
import type { RequestTrace } from '../../../io/cluster/reader.ts';
import { checkMetrics } from '../../../terminal/metrics/check-metrics.ts';
import { renderDocument } from '../../../terminal/structured.ts';
import { statusMetrics } from '../metrics.ts';
import { stuckNotes, unknownTargets } from '../notes.ts';
import { emptyPicture } from '../picture.ts';
import type { Picture, Work } from '../picture.ts';
import type { DocumentName, DocumentQuery } from '../routes.ts';

export interface ReadingFlags extends SourceValues, ConnectionValues {
  readonly namespace?: string | undefined;
  readonly 'object-labels': boolean;
  readonly pauseMs: number;
}

interface Judged {
  readonly snapshot: Snapshot;
  readonly report: Report;
  readonly status: Status;
  readonly check: CheckReport;
  readonly isSearched: boolean;
}

const measureEveryMs = 60_000;
const firstRetryMs = 1000;
const longestRetryMs = 5000;

/** Reads, judges and renders, in a thread of its own: however long it takes, the server answers at once. */
export class Reading {
  readonly #flags: ReadingFlags;
  readonly #tell: (picture: Picture) => void;
  readonly #requests = new Map<string, number>();
  #source: ClusterSource | undefined;
  #judged: Judged | undefined;
  #fixed: Report | undefined;
  #picture: Picture;
  #now: () => Date = () => new Date();
  #judgements = 0;
  #failures = 0;
  #lastSeconds = 0;

  constructor(flags: ReadingFlags, tell: (picture: Picture) => void) {
    this.#flags = flags;
    this.#tell = tell;
    this.#picture = emptyPicture('', this.#now().toISOString());
  }

  /** Rejects for what no waiting cures: no kubeconfig, a dump that cannot be read, a namespace that does not exist. */
  async begin(): Promise<void> {
    if (readsDump(this.#flags)) return this.#readDump();
    const { reader, client } = await connectCluster(this.#flags, undefined, (request) => this.#count(request));
    this.#now = () => reader.now();
    const following = followCluster<Judged>(reader, {
      namespace: this.#namespace,
      pauseMs: this.#flags.pauseMs,
      onResult: (judged, freshness) => this.#show(judged, freshness),
    });
    const source = sourceOf(
      { reader: following.live.reader, client },
      undefined,
      usageOptionsOf(this.#flags),
      measureEveryMs,
    );
    this.#source = source;
    this.#picture = emptyPicture(source.name, reader.now().toISOString());
    this.#tell(this.#picture);
    for (let waitMs = firstRetryMs; ; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
      try {
        return await following.begin(() => this.#judge(source));
      } catch (error) {
        if (error instanceof UserError) throw error;
        // Usually the server is away for a while. Until it is back, nothing is known.
        const reason = error instanceof Error ? error.message : String(error);
        const { since } = this.#picture.freshness;
        this.#picture = { ...emptyPicture(source.name, since, reason), work: this.#work() };
        this.#tell(this.#picture);
      }
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  async page(view: LiveView): Promise<string> {
    const { revision, freshness } = this.#picture;
    const live = { view, freshness, revision, now: this.#now().toISOString() };
    const judged = this.#known();
    if (view === 'status') return (await import('../../../html/status/page.ts')).renderStatusPage(judged.status, live);
    if (view === 'check') return (await import('../../../html/check/page.ts')).renderCheckPage(judged.check, live);
    const { renderReportPage } = await import('../../../html/verdict/report.ts');
    return renderReportPage(this.#withFixes(judged), { scope: this.#scope, live });
  }

  async document(name: DocumentName, query: DocumentQuery): Promise<string> {
    return renderDocument(await this.#documentOf(name, query), 'json');
  }

  get #namespace(): string | undefined {
    return this.#flags.namespace || undefined;
  }

  get #scope(): string {
    if (this.#namespace !== undefined) return `namespace ${this.#namespace}`;
    return readsDump(this.#flags) ? 'the dump' : 'the cluster';
  }

  async #readDump(): Promise<void> {
    const { openDump } = await import('../../../cli/dump-source.ts');
    const source = await openDump(this.#flags.from ?? [], this.#flags);
    this.#source = source;
    const judged = await this.#judge(source);
    this.#now = () => new Date(judged.snapshot.takenAt);
    this.#show(judged, { state: 'dump', since: judged.snapshot.takenAt });
  }

  async #judge(source: ClusterSource): Promise<Judged> {
    const namespace = this.#namespace;
    const selection = { breadth: 'everything', ...(namespace !== undefined && { namespace }) } as const;
    const begun = performance.now();
    this.#judgements += 1;
    try {
      const answer = await source.answer(
        (snapshot) => ({ ...askCheck(snapshot, selection, {}, commandEnd(this.#flags)), snapshot }),
        { search: selection },
      );
      if (answer.noNamespace) throw noNamespaceError(namespace, answer.noNamespace);
      const { snapshot, stuck, status, survey } = answer;
      const findings = survey.findings.map((finding) => ({ ...finding, outcome: 'new' as const }));
      const check = checkReportOf(survey, { failOn: 'blocking', findings, unusedIgnores: [], gone: [] });
      this.#lastSeconds = (performance.now() - begun) / 1000;
      return {
        snapshot,
        report: stuck,
        status: documentInContext(status, choiceOf(this.#flags)),
        check: documentInContext(check, choiceOf(this.#flags)),
        isSearched: survey.isSearched,
      };
    } catch (error) {
      this.#failures += 1;
      throw error;
    }
  }

  #show(judged: Judged, freshness: Freshness): void {
    const isNew = judged !== this.#judged;
    if (isNew) this.#fixed = undefined;
    this.#judged = judged;
    const { report, status, check, snapshot, isSearched } = judged;
    const revision =
      isNew || this.#picture.freshness.state !== freshness.state
        ? revisionOf(judged, freshness)
        : this.#picture.revision;
    const isFresh = freshness.state === 'live' || freshness.state === 'dump';
    // What is proven stuck does not make up for what could not be judged.
    const isUp = isFresh && isSearched && check.unknown.length === 0;
    this.#picture = {
      revision,
      freshness,
      takenAt: report.takenAt,
      sourceName: this.#source?.name ?? '',
      isUp,
      isSearched,
      metrics: [...checkMetrics(check, isUp), ...statusMetrics(status, snapshot, this.#flags['object-labels'])],
      stuck: stuckNotes(report),
      unknown: unknownTargets(report),
      work: this.#work(),
    };
    this.#tell(this.#picture);
  }

  #known(): Judged {
    if (this.#judged === undefined) throw new UserError('nothing was read yet');
    return this.#judged;
  }

  /** As `why` prints it. It is rehearsed only when a page is opened. */
  #withFixes({ report, snapshot }: Judged): Report {
    this.#fixed ??= documentInContext(proveFixes(report, snapshot), choiceOf(this.#flags));
    return this.#fixed;
  }

  async #documentOf(name: DocumentName, query: DocumentQuery): Promise<object> {
    if (name === 'get') return this.#rows(query);
    if (name === 'why' && query.target !== undefined) return this.#why(query.target, query.namespace);
    const judged = this.#known();
    switch (name) {
      case 'why':
        return query.namespace === undefined ? this.#withFixes(judged) : this.#whyIn(query.namespace);
      case 'status':
        return judged.status;
      case 'check':
        return judged.check;
      case 'report':
        return {
          apiVersion: 'csi.kubectl.dev/v1',
          kind: 'List',
          items: [this.#withFixes(judged), judged.status, judged.check],
        };
    }
  }

  async #whyIn(namespace: string): Promise<Report> {
    this.#refuseElsewhere(namespace);
    const selection = { breadth: 'everything', namespace } as const;
    const answer = await this.#open().answer((snapshot) => ({ ...diagnose(snapshot, selection), snapshot }), {
      search: selection,
    });
    if (answer.noNamespace) throw noNamespaceError(namespace, answer.noNamespace);
    return proveFixes(answer.report, answer.snapshot);
  }

  async #why(text: string, namespace: string | undefined): Promise<Report> {
    if (namespace !== undefined) this.#refuseElsewhere(namespace);
    const source = this.#open();
    const named = await parseTargets([text], { kinds: judgedKinds.everything });
    for (const { kind, name } of named) if (kind === 'Namespace') this.#refuseElsewhere(name);
    const targets = inNamespace(named, namespace ?? this.#namespace ?? source.namespace ?? 'default');
    const answer = await source.answer((snapshot) => ({ ...diagnose(snapshot, { targets }), snapshot }), {
      seeds: targets.map(({ kind, name, namespace: place }) => ({
        kind,
        scope: { name, ...(place !== undefined && { namespace: place }) },
        needed: 'whether it exists',
      })),
    });
    const missing = notFoundError(answer);
    if (missing !== undefined) throw missing;
    return proveFixes(answer.report, answer.snapshot);
  }

  async #rows({ kind: word = '', namespace, name, selector }: DocumentQuery): Promise<object> {
    const kind = listedKind(word);
    if (kind === undefined || !isRowKind(kind)) {
      const types = Object.values(rowKinds).map(({ type }) => type);
      throw new UserError(`there is no type "${word}"`, `The types are ${types.join(', ')}`);
    }
    const isPlaced = resourceOf(kind).namespaced;
    // A driver publishes its free space in a namespace of its own.
    const home = kind === 'CSIStorageCapacity' ? undefined : this.#namespace;
    if (isPlaced && home !== undefined && namespace !== undefined) this.#refuseElsewhere(namespace);
    const place = isPlaced ? (namespace ?? home) : undefined;
    if (isPlaced && name !== undefined && place === undefined)
      throw new UserError('a name needs a namespace', 'Add namespace=NAME');
    const question: RowQuestion = {
      kind,
      names: name === undefined ? [] : [name],
      ...(place !== undefined && { namespace: place }),
      ...(selector !== undefined && { labelSelector: selector }),
    };
    const survey = await this.#open().answer((snapshot) =>
      withCauses(snapshot, surveyRows(snapshot, [question], 'wide')),
    );
    const [answer] = survey.answers;
    if (answer?.place?.state === 'missing') throw noNamespaceError(place, answer.place.near);
    if (answer?.missing[0] !== undefined) throw new UserError(`${word}/${answer.missing[0].name} does not exist`);
    return listOf(survey, kind, answer?.rows ?? []);
  }

  /** A server that was started for one namespace shows nothing of others, even if it has more rights. */
  #refuseElsewhere(namespace: string): void {
    if (this.#namespace !== undefined && namespace !== this.#namespace)
      throw new UserError(`only namespace ${this.#namespace} is served`);
  }

  #open(): ClusterSource {
    if (this.#source === undefined) throw new UserError('nothing was read yet');
    return this.#source;
  }

  #count({ method, status }: RequestTrace): void {
    const key = `${method} ${status}`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
  }

  #work(): Work {
    return {
      requests: Object.fromEntries(this.#requests),
      judgements: this.#judgements,
      failures: this.#failures,
      lastJudgementSeconds: this.#lastSeconds,
    };
  }
}

/** The time at which it was read, ages in sentences, and commands that hold that time are no part of it. */
function revisionOf({ report, status, check }: Judged, { state }: Freshness): string {
  const withoutTime = (document: object): object => ({ ...document, takenAt: '' });
  const essence = withoutAges([withoutTime(report), withoutTime(status), withoutTime(check), state]);
  const seconds = String(Math.floor(Date.parse(report.takenAt) / 1000));
  return sha256(essence.replaceAll(seconds, '')).slice(0, 20);
}
