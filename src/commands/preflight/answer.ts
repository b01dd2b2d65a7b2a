import type {
  Manifest,
  Objection,
  PreflightItem,
  PreflightPart,
  PreflightReport,
  PreflightStatus,
} from '../../core/report/preflight.ts';
import type { ObjectRef, Unread } from '../../core/report/report.ts';
import type { TargetRef } from '../../core/kube/selection.ts';
import { scopeKey } from '../../core/kube/snapshot.ts';
import type { Need, Snapshot } from '../../core/kube/snapshot.ts';
import { isKnownKind } from '../../core/kube/kinds.ts';
import { shortNameOf } from '../../core/kube/resources.ts';
import { claimNamesOf } from '../../core/graph/cluster-graph.ts';
import { describeUnread, needsOf } from '../../core/graph/unread.ts';
import { droppedSource } from '../../core/engine/rehearse/defaults.ts';
import { describeMade } from './describe.ts';
import { lineOf } from './lines.ts';
import { planManifests, refTo } from '../../core/engine/rehearse/plan.ts';
import type { Entry, Part } from '../../core/engine/rehearse/plan.ts';
import { Rehearsal } from '../../core/engine/rehearse/rehearsal.ts';
import type { Outcome } from '../../core/engine/rehearse/outcomes.ts';
import { sharedClaimWarning, strayNodesWarning } from '../../core/engine/rehearse/warnings.ts';
import { member, podShapeOf } from '../../core/engine/rehearse/templates.ts';
import { World } from '../../core/engine/rehearse/world.ts';

export interface PreflightAnswer {
  readonly report: PreflightReport;
  readonly needs: readonly Need[];
}

/** Whether what these manifests ask for would work, on a cluster as the snapshot has it. Pure: nothing is made. */
export function preflight(snapshot: Snapshot, manifests: readonly Manifest[], namespace: string): PreflightAnswer {
  const world = new World(snapshot);
  const plan = planManifests(manifests, namespace, world);
  const imagined = new Set(
    plan.entries.flatMap(({ ref, existing, parts }) => [
      ...(existing ? [] : [keyOf(ref)]),
      ...parts.filter(({ isThere }) => !isThere).map((part) => keyOf(part.ref)),
    ]),
  );
  const rehearsal = new Rehearsal(world, plan.entries.flatMap(targetsOf), (object) => imagined.has(keyOf(object)));
  rehearsal.run();
  const judge = new Judge(plan.entries, rehearsal, world);
  const items = plan.entries.map((entry) => judge.itemOf(entry));
  const count = (status: PreflightStatus): number => items.filter((item) => item.status === status).length;
  const needs = new Map(
    [...needsOf(plan.unanswered), ...rehearsal.needs].map((need) => [scopeKey(need.kind, need.scope), need]),
  );
  return {
    needs: [...needs.values()],
    report: {
      apiVersion: 'csi.kubectl.dev/v1',
      kind: 'PreflightReport',
      takenAt: snapshot.takenAt,
      source: snapshot.source,
      items,
      skipped: plan.skipped,
      summary: {
        ok: count('ok'),
        wouldWait: count('wouldWait'),
        wouldFail: count('wouldFail'),
        unknown: count('unknown'),
        skipped: Object.values(plan.skipped).reduce((sum, each) => sum + each, 0),
      },
    },
  };
}

/** All that is played through: what was refused is not there to be judged, nor the pods that would need it. */
function targetsOf(entry: Entry): TargetRef[] {
  if (entry.refusal) return [];
  const refused = new Set(entry.parts.filter(({ refusal }) => refusal).map(({ ref }) => ref.name));
  const parts = entry.parts.filter(
    (part) =>
      !part.isThere &&
      !part.refusal &&
      !(part.ref.kind === 'Pod' && claimsUsedBy(part).some((name) => refused.has(name))),
  );
  const own =
    entry.parts.length === 0 &&
    isKnownKind(entry.ref.kind) &&
    !['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Pod'].includes(entry.ref.kind)
      ? [entry.ref]
      : [];
  return [...own, ...parts.map(({ ref }) => ref)] as TargetRef[];
}

function claimsUsedBy({ object }: Part): string[] {
  const pod = podShapeOf(object);
  return pod ? claimNamesOf(pod) : [];
}

const worstFirst: readonly PreflightStatus[] = ['wouldFail', 'unknown', 'wouldWait', 'ok'];

class Judge {
  readonly #entries: readonly Entry[];
  readonly #rehearsal: Rehearsal;
  readonly #world: World;
  /** Claims of the manifests, refused ones with why. */
  readonly #refused = new Map<string, { readonly objection: Objection; readonly ref: ObjectRef }>();

  constructor(entries: readonly Entry[], rehearsal: Rehearsal, world: World) {
    this.#entries = entries;
    this.#rehearsal = rehearsal;
    this.#world = world;
    for (const { refusal, ref, parts } of entries) {
      if (refusal && ref.kind === 'PersistentVolumeClaim')
        this.#refused.set(keyOf(ref), { objection: rehearsal.objectionOf(refusal), ref });
      for (const part of parts)
        if (part.refusal)
          this.#refused.set(keyOf(part.ref), { objection: rehearsal.objectionOf(part.refusal), ref: part.ref });
    }
  }

  itemOf(entry: Entry): PreflightItem {
    const {
      ref: object,
      manifest: { place },
      existing,
      changes,
    } = entry;
    const refusal = entry.refusal && this.#rehearsal.objectionOf(entry.refusal);
    const base = {
      object,
      place,
      ...(existing && { exists: changes.length > 0 ? ('changed' as const) : ('unchanged' as const) }),
    };
    const judged = entry.parts
      .filter(({ isThere }) => !isThere)
      .map((part) => ({ part, outcome: this.#outcomeOf(part) }));
    const parts = judged.map(({ part, outcome }): PreflightPart => ({
      object: part.ref,
      status: outcome.status,
      ...(outcome.objection && { cause: outcome.objection.cause }),
      summary: outcome.note || describeMade(part.ref, this.#world),
    }));
    if (refusal)
      return {
        ...base,
        status: 'wouldFail',
        cause: refusal.cause,
        summary: refusal.summary,
        ...lineFor(entry, refusal),
        objection: refusal,
        warnings: [],
        parts,
        unread: [],
      };
    const outcomes =
      judged.length > 0 || entry.parts.length > 0 || object.kind === 'Pod'
        ? judged.map(({ outcome }) => outcome)
        : [this.#rehearsal.outcomeOf(object)];
    const unread = uniqueUnread([...describeUnread(entry.questions), ...outcomes.flatMap(({ unread: each }) => each)]);
    const worst = worstFirst.find((status) => outcomes.some((outcome) => outcome.status === status)) ?? 'ok';
    const status = worst === 'ok' || worst === 'wouldWait' ? (unread.length > 0 ? 'unknown' : worst) : worst;
    const { objection } = outcomes.find((outcome) => outcome.status === status && outcome.objection) ?? {};
    const because = objection && this.#becauseOf(entry, objection);
    return {
      ...base,
      status,
      ...(objection && { cause: objection.cause }),
      summary: objection?.summary ?? this.#describe(entry, status),
      ...(objection && lineFor(entry, objection)),
      ...(because && { becauseOf: because }),
      ...(objection && { objection }),
      warnings: uniqueCauses([
        ...outcomes.flatMap(({ warnings }) => warnings),
        ...this.#ownWarnings(entry, outcomes),
      ]).filter(({ cause }) => cause !== objection?.cause),
      parts,
      unread,
    };
  }

  /** A pod whose claim is refused comes to nothing either. */
  #outcomeOf(part: Part): Outcome {
    const found =
      this.#refused.get(keyOf(part.ref)) ??
      claimsUsedBy(part)
        .map((name) =>
          this.#refused.get(
            keyOf({
              kind: 'PersistentVolumeClaim',
              ...(part.ref.namespace !== undefined && { namespace: part.ref.namespace }),
              name,
            }),
          ),
        )
        .find((each) => each !== undefined);
    if (!found) return this.#rehearsal.outcomeOf(part.ref);
    return {
      status: 'wouldFail',
      note: found.objection.summary,
      objection: found.objection,
      warnings: [],
      unread: [],
      without: [],
    };
  }

  /** The claim of another manifest that fails for the same reason. */
  #becauseOf(entry: Entry, objection: Objection): ObjectRef | undefined {
    const used = new Set(
      entry.parts
        .filter(({ ref }) => ref.kind === 'Pod')
        .flatMap((part) =>
          claimsUsedBy(part).map((name) =>
            keyOf({
              kind: 'PersistentVolumeClaim',
              ...(entry.ref.namespace !== undefined && { namespace: entry.ref.namespace }),
              name,
            }),
          ),
        ),
    );
    const other = this.#entries.find(
      ({ ref, refusal }) =>
        ref.kind === 'PersistentVolumeClaim' &&
        used.has(keyOf(ref)) &&
        (refusal ?? this.#rehearsal.outcomeOf(ref).objection)?.cause === objection.cause,
    );
    return other?.ref;
  }

  #ownWarnings(entry: Entry, outcomes: readonly Outcome[]): Objection[] {
    const stray = strayNodesWarning(
      entry.ref,
      outcomes.flatMap(({ without }) => without),
    );
    const shared = sharedClaimWarning(entry, this.#world);
    const source =
      entry.ref.kind === 'PersistentVolumeClaim' && !entry.existing ? droppedSource(entry.object) : undefined;
    const dropped = source === undefined ? undefined : droppedWarning(entry, source);
    return [stray, shared, dropped]
      .filter((warning) => warning !== undefined)
      .map((warning) => this.#rehearsal.objectionOf(warning));
  }

  #describe(entry: Entry, status: PreflightStatus): string {
    const { existing, changes, ref, parts } = entry;
    if (status === 'unknown')
      return 'nothing was found against it, but not all could be read that could stand against it';
    const made = parts.filter(({ isThere }) => !isThere);
    const there = existing ? `exists already${changes.length === 0 ? ', unchanged' : ''}` : undefined;
    if (ref.kind === 'PersistentVolumeClaim' && existing)
      return [
        there,
        boundText(this.#world, ref),
        ...(changes.length > 0
          ? [`would change ${changes.map(({ path }) => path.replace(/^spec\./, '')).join(', ')}`]
          : []),
      ]
        .filter(Boolean)
        .join(', ');
    if (made.length > 0) return [there, countText(made)].filter(Boolean).join('; ');
    return there ?? describeMade(ref, this.#world);
  }
}

function boundText(world: World, { namespace, name }: ObjectRef): string | undefined {
  const claim = world.get('PersistentVolumeClaim', namespace, name);
  const volume = member(claim, 'spec', 'volumeName');
  return member(claim, 'status', 'phase') === 'Bound' && typeof volume === 'string'
    ? `bound to pv/${volume}`
    : undefined;
}

function countText(parts: readonly Part[]): string {
  const count = (kind: string): number => parts.filter(({ ref }) => ref.kind === kind).length;
  const told = (number: number, noun: string): string[] =>
    number === 0 ? [] : [`${number} ${noun}${number === 1 ? '' : 's'}`];
  const text = [...told(count('PersistentVolumeClaim'), 'claim'), ...told(count('Pod'), 'pod')].join(' and ');
  return `${text}: nothing stands against ${parts.length === 1 ? 'it' : 'them'}`;
}

function lineFor(entry: Entry, { evidence }: Objection): { readonly line?: number } {
  const owners = [{ ref: entry.ref, prefix: '' }, ...entry.parts.map(({ ref, prefix }) => ({ ref, prefix }))];
  for (const { object, path } of evidence) {
    const owner = owners.find(({ ref }) => keyOf(ref) === keyOf(object));
    const line = owner && path !== undefined ? lineOf(entry.manifest, owner.prefix + path) : undefined;
    if (line !== undefined) return { line };
  }
  return {};
}

function droppedWarning(entry: Entry, source: string): Objection {
  return {
    cause: 'pvc-datasource-dropped',
    stage: 'claim',
    confidence: 'certain',
    summary: `${shortNameOf(entry.ref.kind)}/${entry.ref.name} names ${source} in dataSource, which the server drops without a word: the volume would be empty`,
    evidence: [{ object: refTo(entry.object), path: 'spec.dataSource', value: source }],
    fix: [{ text: 'name the source in dataSourceRef', risk: 'safe' }],
  };
}

function uniqueUnread(unread: readonly Unread[]): Unread[] {
  return [...new Map(unread.map((entry) => [`${entry.resource}|${entry.needed}`, entry])).values()];
}

function uniqueCauses(objections: readonly Objection[]): Objection[] {
  return [...new Map(objections.map((objection) => [objection.cause, objection])).values()];
}

function keyOf({ kind, namespace, name }: ObjectRef): string {
  return `${kind}|${namespace ?? ''}|${name}`;
}
