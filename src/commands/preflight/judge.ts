import { droppedSource } from '../../core/engine/rehearse/defaults.ts';
import { refTo } from '../../core/engine/rehearse/plan.ts';
import type { Entry, Part } from '../../core/engine/rehearse/plan.ts';
import type { Outcome } from '../../core/engine/rehearse/outcomes.ts';
import type { Rehearsal } from '../../core/engine/rehearse/rehearsal.ts';
import { podShapeOf } from '../../core/engine/rehearse/templates.ts';
import { sharedClaimWarning, strayNodesWarning } from '../../core/engine/rehearse/warnings.ts';
import type { World } from '../../core/engine/rehearse/world.ts';
import { claimNamesOf } from '../../core/graph/cluster-graph.ts';
import { describeUnread } from '../../core/graph/unread.ts';
import { shortNameOf } from '../../core/kube/resources.ts';
import type { Objection, PreflightItem, PreflightPart, PreflightStatus } from '../../core/report/preflight.ts';
import type { ObjectRef, Unread } from '../../core/report/report.ts';
import { describeEntry, describeMade } from './describe.ts';
import { lineOf } from './lines.ts';

export function keyOf({ kind, namespace, name }: ObjectRef): string {
  return `${kind}|${namespace ?? ''}|${name}`;
}

export function claimsUsedBy({ object }: Part): string[] {
  const pod = podShapeOf(object);
  return pod ? claimNamesOf(pod) : [];
}

type ItemVerdict = Omit<PreflightItem, 'object' | 'place' | 'exists'>;

interface JudgedPart {
  readonly part: Part;
  readonly outcome: Outcome;
}

const worstFirst: readonly PreflightStatus[] = ['wouldFail', 'unknown', 'wouldWait', 'ok'];

/** Turns the outcomes of a rehearsal into one item for each manifest. */
export class Judge {
  readonly #entries: readonly Entry[];
  readonly #rehearsal: Rehearsal;
  readonly #world: World;
  /** The claims of the manifests that the server would refuse, and why. */
  readonly #refused = new Map<string, Objection>();

  constructor(entries: readonly Entry[], rehearsal: Rehearsal, world: World) {
    this.#entries = entries;
    this.#rehearsal = rehearsal;
    this.#world = world;
    for (const { refusal, ref, parts } of entries) {
      if (refusal && ref.kind === 'PersistentVolumeClaim')
        this.#refused.set(keyOf(ref), rehearsal.objectionOf(refusal));
      for (const part of parts)
        if (part.refusal) this.#refused.set(keyOf(part.ref), rehearsal.objectionOf(part.refusal));
    }
  }

  itemOf(entry: Entry): PreflightItem {
    const { existing, changes, refusal } = entry;
    const base = {
      object: entry.ref,
      place: entry.manifest.place,
      ...(existing && { exists: changes.length > 0 ? ('changed' as const) : ('unchanged' as const) }),
    };
    const judged = entry.parts
      .filter(({ isThere }) => !isThere)
      .map((part) => ({ part, outcome: this.#outcomeOf(part) }));
    const parts = judged.map((one) => this.#describePart(one));
    if (refusal) return { ...base, ...refusedVerdict(entry, this.#rehearsal.objectionOf(refusal), parts) };
    return { ...base, ...this.#rehearsedVerdict(entry, this.#outcomesOf(entry, judged), parts) };
  }

  #describePart({ part, outcome }: JudgedPart): PreflightPart {
    return {
      object: part.ref,
      status: outcome.status,
      ...(outcome.objection && { cause: outcome.objection.cause }),
      summary: outcome.note || describeMade(part.ref, this.#world),
    };
  }

  /** The outcomes of what a manifest creates; of an object that creates nothing, its own. */
  #outcomesOf({ ref, parts }: Entry, judged: readonly JudgedPart[]): readonly Outcome[] {
    if (parts.length > 0 || ref.kind === 'Pod') return judged.map(({ outcome }) => outcome);
    return [this.#rehearsal.outcomeOf(ref)];
  }

  #rehearsedVerdict(entry: Entry, outcomes: readonly Outcome[], parts: readonly PreflightPart[]): ItemVerdict {
    const unread = uniqueUnread([...describeUnread(entry.questions), ...outcomes.flatMap((outcome) => outcome.unread)]);
    const status = statusOf(outcomes, unread);
    const { objection } = outcomes.find((outcome) => outcome.status === status && outcome.objection) ?? {};
    const becauseOf = objection && this.#becauseOf(entry, objection);
    const warnings = uniqueCauses([
      ...outcomes.flatMap((outcome) => outcome.warnings),
      ...this.#ownWarnings(entry, outcomes),
    ]);
    return {
      status,
      ...(objection && { cause: objection.cause }),
      summary: objection?.summary ?? describeEntry(entry, status, this.#world),
      ...(objection && lineFor(entry, objection)),
      ...(becauseOf && { becauseOf }),
      ...(objection && { objection }),
      warnings: warnings.filter(({ cause }) => cause !== objection?.cause),
      parts,
      unread,
    };
  }

  /** A pod fails too if one of its claims would be refused. */
  #outcomeOf(part: Part): Outcome {
    const claims = claimsUsedBy(part).map((name) => claimKey(part.ref.namespace, name));
    const objection = [keyOf(part.ref), ...claims].map((key) => this.#refused.get(key)).find((found) => found);
    if (!objection) return this.#rehearsal.outcomeOf(part.ref);
    return { status: 'wouldFail', note: objection.summary, objection, warnings: [], unread: [], without: [] };
  }

  /** The claim of another manifest that fails for the same reason. */
  #becauseOf(entry: Entry, objection: Objection): ObjectRef | undefined {
    const pods = entry.parts.filter(({ ref }) => ref.kind === 'Pod');
    const used = new Set(pods.flatMap((pod) => claimsUsedBy(pod).map((name) => claimKey(entry.ref.namespace, name))));
    const other = this.#entries.find(
      ({ ref, refusal }) =>
        ref.kind === 'PersistentVolumeClaim' &&
        used.has(keyOf(ref)) &&
        (refusal ?? this.#rehearsal.outcomeOf(ref).objection)?.cause === objection.cause,
    );
    return other?.ref;
  }

  #ownWarnings(entry: Entry, outcomes: readonly Outcome[]): Objection[] {
    const without = outcomes.flatMap((outcome) => outcome.without);
    const isNewClaim = entry.ref.kind === 'PersistentVolumeClaim' && !entry.existing;
    const source = isNewClaim ? droppedSource(entry.object) : undefined;
    return [
      strayNodesWarning(entry.ref, without),
      sharedClaimWarning(entry, this.#world),
      source === undefined ? undefined : droppedWarning(entry, source),
    ]
      .filter((warning) => warning !== undefined)
      .map((warning) => this.#rehearsal.objectionOf(warning));
  }
}

function claimKey(namespace: string | undefined, name: string): string {
  return keyOf({ kind: 'PersistentVolumeClaim', ...(namespace !== undefined && { namespace }), name });
}

function refusedVerdict(entry: Entry, objection: Objection, parts: readonly PreflightPart[]): ItemVerdict {
  return {
    status: 'wouldFail',
    cause: objection.cause,
    summary: objection.summary,
    ...lineFor(entry, objection),
    objection,
    warnings: [],
    parts,
    unread: [],
  };
}

/** The worst outcome; something unread leaves open whether an object that seems fine is. */
function statusOf(outcomes: readonly Outcome[], unread: readonly Unread[]): PreflightStatus {
  const worst = worstFirst.find((status) => outcomes.some((outcome) => outcome.status === status)) ?? 'ok';
  const seemsFine = worst === 'ok' || worst === 'wouldWait';
  return seemsFine && unread.length > 0 ? 'unknown' : worst;
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
    summary:
      `${shortNameOf(entry.ref.kind)}/${entry.ref.name} sets ${source} in dataSource, which the API server ` +
      'drops silently: the volume would be empty',
    evidence: [{ object: refTo(entry.object), path: 'spec.dataSource', value: source }],
    fix: [{ text: 'Set the source in dataSourceRef instead.', risk: 'safe' }],
  };
}

function uniqueUnread(unread: readonly Unread[]): Unread[] {
  return [...new Map(unread.map((entry) => [`${entry.resource}|${entry.needed}`, entry])).values()];
}

function uniqueCauses(objections: readonly Objection[]): Objection[] {
  return [...new Map(objections.map((objection) => [objection.cause, objection])).values()];
}
