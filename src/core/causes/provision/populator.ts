import type { Claim, KubeEvent, Pod } from '../../kube/kinds.ts';
import { isKnownKind } from '../../kube/kinds.ts';
import { resourceOf } from '../../kube/resources.ts';
import { nearestName } from '../../kube/names.ts';
import { lastSeen } from '../../graph/events.ts';
import type { Listing, Lookup } from '../../graph/inquiry.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { dataSourceOf, isPopulated } from './data-source.ts';
import type { DataSource } from './data-source.ts';

/** What a populator leaves behind while it fills a volume (lib-volume-populator populator-machinery/controller.go). */
export interface Population {
  readonly source: DataSource;
  /** The populator's own claim, filled first and then handed over. */
  readonly prime: Listing<Claim>;
  /** The pod that fills it; a populator may do without. */
  readonly pod: Pod | undefined;
  /** What populators reported about the claim, oldest first. */
  readonly events: readonly KubeEvent[];
}

export function populationOf(c: ClaimCase): Population | undefined {
  const source = dataSourceOf(c);
  const uid = c.claim?.metadata.uid;
  if (!source || !uid || !isPopulated(source)) return undefined;
  const prime = c.ask.claimsNamed(`prime-${uid}`, `whether a populator works on pvc/${c.name}`);
  const events = c.events.items
    .filter((event) => isPopulatorReason(event.reason ?? ''))
    .sort((a, b) => lastSeen(a) - lastSeen(b));
  return { source, prime, pod: fillingPod(c, uid, prime.items[0]), events };
}

/** The pod is looked for next to the populator's claim, not in all namespaces. */
function fillingPod(c: ClaimCase, uid: string, prime: Claim | undefined): Pod | undefined {
  const name = `populate-${uid}`;
  const namespace = prime?.metadata.namespace;
  if (namespace === undefined) return c.ask.seen('Pod').find((pod) => pod.metadata.name === name);
  const pod = c.ask.get('Pod', namespace, name, `whether the pod that fills pvc/${c.name} runs`);
  return pod.state === 'found' ? pod.object : undefined;
}

/** A populator that reported something longer ago than this may be gone. */
const recentSeconds = 900;

export function isRecent(c: ClaimCase, event: KubeEvent): boolean {
  return (c.now - lastSeen(event)) / 1000 < recentSeconds;
}

function isPopulatorReason(reason: string): boolean {
  return /^(?:Populat|reasonPVCPrime)/.test(reason);
}

/**
 * The object that the populator is to read. Other kinds than ours are not read from a cluster, but a dump may hold
 * them.
 */
export function sourceObject(c: ClaimCase, source: DataSource): Lookup<unknown> & { readonly near?: string } {
  if (isKnownKind(source.kind) && resourceOf(source.kind).group === source.group)
    return c.ask.get(source.kind, source.namespace, source.name, `whether ${source.kind} ${source.name} exists`);
  const sameKind = c.ask.graph
    .rawOfKind(source.kind)
    .filter((object) => (object.apiVersion ?? '').split('/')[0] === source.group);
  const object = sameKind.find(
    ({ metadata }) => metadata.name === source.name && (metadata.namespace ?? source.namespace) === source.namespace,
  );
  if (object) return { state: 'found', object };
  if (sameKind.length === 0) return { state: 'unknown' };
  const near = nearestName(
    source.name,
    sameKind.map(({ metadata }) => metadata.name),
  );
  return { state: 'missing', ...(near !== undefined && { near }) };
}

/**
 * Whether the kind of the source is installed: by the names that its definition is likely to have, since a list of all
 * definitions is large.
 */
export function kindIsInstalled(c: ClaimCase, { kind, group }: DataSource): boolean | undefined {
  if (isKnownKind(kind) && resourceOf(kind).group === group) return true;
  const seen = c.ask
    .seen('CustomResourceDefinition')
    .some(({ spec }) => spec?.group === group && spec.names?.kind === kind);
  if (seen || c.ask.graph.rawOfKind(kind).length > 0) return true;
  const word = kind.toLowerCase();
  const plurals = [`${word}s`, `${word}es`, word.replace(/y$/, 'ies'), word];
  for (const plural of new Set(plurals)) {
    const { state } = c.ask.get(
      'CustomResourceDefinition',
      undefined,
      `${plural}.${group}`,
      `whether kind ${kind} of ${group} is installed`,
    );
    if (state === 'found') return true;
    if (state === 'unknown') return undefined;
  }
  return false;
}
