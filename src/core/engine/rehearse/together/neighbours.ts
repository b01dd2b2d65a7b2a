import type { Node, Pod } from '../../../kube/kinds.ts';
import { matchesLabelSelector, matchesNodeSelector, untoleratedTaints } from '../../../kube/selectors.ts';
import type { Inquiry } from '../../../graph/inquiry.ts';
import { belongs, ByLabel, labelKeys } from './crowd.ts';
import type { Crowd } from './crowd.ts';

export const hostKey = 'kubernetes.io/hostname';

interface Spread {
  readonly crowd: Crowd;
  readonly maxSkew: number;
  /** The domains of the nodes that count, with none of the pods at first. */
  readonly domains: ReadonlySet<string>;
}

/** The rules between one pod and others. */
export interface Company {
  readonly away: readonly Crowd[];
  readonly near: readonly { readonly crowd: Crowd; readonly matchesItself: boolean }[];
  /** Pods that exclude this one from their neighbourhood. */
  readonly shunnedBy: readonly Crowd[];
  readonly spreads: readonly Spread[];
  /** Equal for pods with the same rules. */
  readonly key: string;
  /** Topology keys that more than one node shares. */
  readonly wideKeys: readonly string[];
}

type AffinityTerm = NonNullable<
  NonNullable<
    NonNullable<NonNullable<Pod['spec']>['affinity']>['podAffinity']
  >['requiredDuringSchedulingIgnoredDuringExecution']
>[number];

interface Shunning {
  readonly kept: Crowd;
  readonly owners: Crowd;
}

/** InterPodAffinity and PodTopologySpread, as far as they are required. */
export class Neighbours {
  readonly #ask: Inquiry;
  readonly #nodes: ReadonlyMap<string, Node>;
  readonly #pods: readonly Pod[];
  readonly #podsByLabel = new ByLabel<Pod>();
  readonly #crowds = new Map<string, Crowd>();
  readonly #crowdsByLabel = new ByLabel<Crowd>();
  /** Crowds of pods that exclude others, and the pods that they exclude. */
  readonly #shunning = new Map<string, Shunning>();
  readonly #shunningByLabel = new ByLabel<Shunning>();
  readonly #companies = new Map<Pod, Company>();

  constructor(ask: Inquiry) {
    this.#ask = ask;
    this.#nodes = new Map(ask.seen('Node').map((node) => [node.metadata.name, node]));
    this.#pods = ask.seen('Pod').filter(isCounted);
    for (const pod of this.#pods)
      this.#podsByLabel.add(labelKeys(pod.metadata.namespace ?? '', pod.metadata.labels ?? {}), pod);
    for (const pod of this.#pods) for (const term of antiTermsOf(pod)) this.#shun(pod, term);
  }

  of(pod: Pod): Company {
    let company = this.#companies.get(pod);
    if (!company) this.#companies.set(pod, (company = this.#describe(pod)));
    return company;
  }

  #describe(pod: Pod): Company {
    const { affinity, topologySpreadConstraints = [] } = pod.spec ?? {};
    const away = antiTermsOf(pod).map((term) => this.#crowdOf(term, pod));
    for (const term of antiTermsOf(pod)) this.#shun(pod, term, 0);
    const near = (affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => {
      const crowd = this.#crowdOf(term, pod);
      return { crowd, matchesItself: belongs(pod, crowd) };
    });
    const shunnedBy = this.#shunningByLabel
      .around(pod)
      .filter(({ kept }) => belongs(pod, kept))
      .map(({ owners }) => owners);
    const spreads = topologySpreadConstraints
      .filter(({ whenUnsatisfiable }) => whenUnsatisfiable !== 'ScheduleAnyway')
      .map((constraint) => ({
        crowd: this.#crowdOf({ ...constraint }, pod),
        maxSkew: constraint.maxSkew ?? 1,
        domains: this.#domainsFor(pod, constraint),
      }));
    const used = [...away, ...near.map(({ crowd }) => crowd), ...shunnedBy, ...spreads.map(({ crowd }) => crowd)];
    const wideKeys = [...new Set(used.map(({ topologyKey }) => topologyKey))].filter((key) => key !== hostKey);
    return {
      away,
      near,
      shunnedBy,
      spreads,
      wideKeys: wideKeys.sort(),
      key: used.map(({ id }) => id).join(','),
    };
  }

  #shun(owner: Pod, term: AffinityTerm, count = 1): void {
    const key = this.#keyOf(term, owner);
    let shunning = this.#shunning.get(key);
    if (!shunning) {
      const { topologyKey = '' } = term;
      const kept = this.#crowdOf(term, owner);
      shunning = { kept, owners: { ...kept, id: this.#nextId(), topologyKey, counts: new Map<string, number>() } };
      this.#shunning.set(key, shunning);
      this.#shunningByLabel.add(ByLabel.keysOf(kept), shunning);
    }
    if (count > 0) this.#add(shunning.owners, owner.spec?.nodeName);
  }

  #crowdOf(term: AffinityTerm, owner: Pod): Crowd {
    const key = this.#keyOf(term, owner);
    let crowd = this.#crowds.get(key);
    if (!crowd) {
      const { topologyKey = '', labelSelector } = term;
      const namespaces = this.#namespacesOf(term, owner);
      crowd = { id: this.#nextId(), topologyKey, selector: labelSelector, namespaces, counts: new Map() };
      for (const pod of this.#candidates(crowd)) if (belongs(pod, crowd)) this.#add(crowd, pod.spec?.nodeName);
      this.#crowds.set(key, crowd);
      this.#crowdsByLabel.add(ByLabel.keysOf(crowd), crowd);
    }
    return crowd;
  }

  #keyOf({ topologyKey, labelSelector, namespaces, namespaceSelector }: AffinityTerm, owner: Pod): string {
    return JSON.stringify([topologyKey, labelSelector, namespaces ?? [], namespaceSelector, owner.metadata.namespace]);
  }

  #namespacesOf({ namespaces = [], namespaceSelector }: AffinityTerm, owner: Pod): ReadonlySet<string> | undefined {
    if (namespaceSelector === undefined)
      return new Set(namespaces.length > 0 ? namespaces : [owner.metadata.namespace ?? '']);
    const { matchLabels = {}, matchExpressions = [] } = namespaceSelector;
    if (Object.keys(matchLabels).length === 0 && matchExpressions.length === 0) return undefined;
    const chosen = this.#ask
      .list('Namespace', undefined, 'which namespaces a pod affinity is about')
      .items.filter(({ metadata }) => matchesLabelSelector(namespaceSelector, metadata.labels ?? {}));
    return new Set([...namespaces, ...chosen.map(({ metadata }) => metadata.name)]);
  }

  /** Only pods with one of the wanted labels can belong to a crowd. */
  #candidates(crowd: Crowd): readonly Pod[] {
    const keys = ByLabel.keysOf(crowd);
    return crowd.namespaces && Object.keys(crowd.selector?.matchLabels ?? {}).length > 0
      ? this.#podsByLabel.under(keys)
      : this.#pods;
  }

  #nextId(): number {
    return this.#crowds.size + this.#shunning.size;
  }

  /** Cordoned and tainted nodes count too, unless the constraint honours taints (NodeInclusionPolicy). */
  #domainsFor(
    pod: Pod,
    constraint: NonNullable<NonNullable<Pod['spec']>['topologySpreadConstraints']>[number],
  ): ReadonlySet<string> {
    const { topologyKey = '', nodeTaintsPolicy, nodeAffinityPolicy } = constraint;
    const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    const wanted = Object.entries(pod.spec?.nodeSelector ?? {});
    const domains = [...this.#nodes.values()]
      .filter(({ metadata: { labels = {}, name }, spec }) => {
        if (nodeTaintsPolicy === 'Honor' && untoleratedTaints(pod.spec?.tolerations, spec?.taints).length > 0)
          return false;
        return (
          nodeAffinityPolicy === 'Ignore' ||
          (wanted.every(([key, value]) => labels[key] === value) &&
            matchesNodeSelector(required, labels, { 'metadata.name': name }))
        );
      })
      .flatMap(({ metadata }) => metadata.labels?.[topologyKey] ?? []);
    return new Set(domains);
  }

  #add(crowd: Crowd, nodeName: string | undefined): void {
    const node = nodeName === undefined ? undefined : this.#nodes.get(nodeName);
    const domain = node?.metadata.labels?.[crowd.topologyKey];
    if (domain !== undefined) crowd.counts.set(domain, (crowd.counts.get(domain) ?? 0) + 1);
  }

  /** The crowds that a pod joins when it starts on a node. */
  settle(pod: Pod, node: Node): void {
    const join = (crowd: Crowd): void => {
      this.#add(crowd, node.metadata.name);
    };
    for (const crowd of this.#crowdsOf(pod)) join(crowd);
    for (const term of antiTermsOf(pod)) {
      const shunning = this.#shunning.get(this.#keyOf(term, pod));
      if (shunning) join(shunning.owners);
    }
  }

  readonly #joined = new Map<Pod, readonly Crowd[]>();

  #crowdsOf(pod: Pod): readonly Crowd[] {
    let joined = this.#joined.get(pod);
    if (!joined)
      this.#joined.set(pod, (joined = this.#crowdsByLabel.around(pod).filter((crowd) => belongs(pod, crowd))));
    return joined;
  }

  /** All counts as they are now, to return to. */
  save(): () => void {
    const crowds = [...this.#crowds.values(), ...[...this.#shunning.values()].map(({ owners }) => owners)];
    const saved = crowds.map((crowd) => [crowd, new Map(crowd.counts)] as const);
    return () => {
      for (const [{ counts }, before] of saved) {
        counts.clear();
        for (const [domain, count] of before) counts.set(domain, count);
      }
    };
  }
}

/** The first rule between pods that keeps the pod off a node, in words; only rules about `keys`, if they are given. */
export function unwelcome(company: Company, node: Node, isAsked: (key: string) => boolean): string | undefined {
  const countAt = ({ counts, topologyKey }: Crowd): number =>
    counts.get(node.metadata.labels?.[topologyKey] ?? '') ?? 0;
  for (const crowd of company.away)
    if (isAsked(crowd.topologyKey) && countAt(crowd) > 0) return `its anti-affinity by ${crowd.topologyKey}`;
  for (const crowd of company.shunnedBy)
    if (isAsked(crowd.topologyKey) && countAt(crowd) > 0)
      return `the anti-affinity of another pod by ${crowd.topologyKey}`;
  for (const { crowd, matchesItself } of company.near)
    if (isAsked(crowd.topologyKey) && countAt(crowd) === 0 && !(matchesItself && crowd.counts.size === 0))
      return `its affinity to pods by ${crowd.topologyKey}`;
  for (const { crowd, maxSkew, domains } of company.spreads) {
    if (!isAsked(crowd.topologyKey)) continue;
    const domain = node.metadata.labels?.[crowd.topologyKey];
    if (domain === undefined) return `no label ${crowd.topologyKey} for its topology spread`;
    let least = Number.POSITIVE_INFINITY;
    for (const each of domains) least = Math.min(least, crowd.counts.get(each) ?? 0);
    if (countAt(crowd) + 1 - least > maxSkew) return `its topology spread by ${crowd.topologyKey}`;
  }
  return undefined;
}

function antiTermsOf(pod: Pod): readonly AffinityTerm[] {
  return pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

function isCounted({ metadata, spec, status }: Pod): boolean {
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return Boolean(spec?.nodeName) && !isOver && metadata.deletionTimestamp === undefined;
}
