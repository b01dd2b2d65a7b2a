import type { Node, Volume } from '../../../kube/kinds.ts';
import type { Inquiry } from '../../../graph/inquiry.ts';
import { refusalByConstraints } from '../../../facts/node/node-fit.ts';
import { delayedClaims } from '../../../facts/pod/pod-placement.ts';
import type { PodCase } from '../../../facts/pod/pod-case.ts';
import { placedVolumes, reaches, zoneLabelsOf } from '../../../facts/volume/volume-reach.ts';
import { canBeProvisioned, Reservations, volumesAt } from '../placement.ts';

/** Nodes that a pod may run on and that reach its volumes, regardless of what runs there. */
export interface Eligible {
  /** Equal for pods with the same nodes. */
  readonly key: string;
  readonly nodes: readonly Node[];
}

/** Most pods share their constraints with many others, so each set of nodes is computed once. */
export class EligibleNodes {
  readonly #nodes: readonly Node[];
  readonly #byLabel = new Map<string, Node[]>();
  readonly #byConstraints = new Map<string, ReadonlySet<Node>>();
  readonly #byReach = new Map<string, ReadonlySet<Node>>();
  readonly #byKey = new Map<string, Eligible>();

  constructor(ask: Inquiry) {
    this.#nodes = ask.seen('Node');
    for (const node of this.#nodes)
      for (const [key, value] of Object.entries(node.metadata.labels ?? {})) {
        const label = `${key}=${value}`;
        const members = this.#byLabel.get(label);
        if (members) members.push(node);
        else this.#byLabel.set(label, [node]);
      }
  }

  of(p: PodCase): Eligible {
    const { nodeSelector, affinity, tolerations } = p.pod.spec ?? {};
    const constraints = JSON.stringify([nodeSelector, affinity?.nodeAffinity, tolerations]);
    const volumes = placedVolumes(p).map(({ volume }) => volume);
    const delayed = delayedClaims(p);
    const key = [
      constraints,
      ...volumes.map(reachKey),
      ...delayed.map((claim) =>
        claim.provisioner === undefined ? `${claim.namespace}/${claim.name}` : `${claim.class.name} ${claim.request}`,
      ),
    ].join('|');
    const known = this.#byKey.get(key);
    if (known) return known;
    const sets = [
      this.#once(this.#byConstraints, constraints, this.#nodes, (node) => !refusalByConstraints(p.pod, node)),
      ...volumes.map((volume) => this.#reached(volume)),
    ].sort((a, b) => a.size - b.size);
    const [smallest, ...others] = sets;
    const nodes = [...(smallest ?? [])].filter(
      (node) =>
        others.every((set) => set.has(node)) &&
        delayed.every((claim) =>
          claim.provisioner === undefined
            ? volumesAt(p, node, new Reservations()) !== undefined
            : canBeProvisioned(claim, node),
        ),
    );
    const eligible = { key, nodes };
    this.#byKey.set(key, eligible);
    return eligible;
  }

  #reached(volume: Volume): ReadonlySet<Node> {
    return this.#once(this.#byReach, reachKey(volume), this.#near(volume), (node) => reaches(volume, node));
  }

  /** A volume that is on one node needs no look at all the others. */
  #near(volume: Volume): readonly Node[] {
    const [term, ...more] = volume.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
    const one = (term?.matchExpressions ?? []).find(
      ({ operator, values = [] }) => operator === 'In' && values.length === 1,
    );
    if (more.length > 0 || one?.key === undefined || !(volume.spec?.csi ?? volume.spec?.local)) return this.#nodes;
    return this.#byLabel.get(`${one.key}=${one.values?.[0] ?? ''}`) ?? [];
  }

  #once(
    known: Map<string, ReadonlySet<Node>>,
    key: string,
    among: readonly Node[],
    isFit: (node: Node) => boolean,
  ): ReadonlySet<Node> {
    let nodes = known.get(key);
    if (!nodes) known.set(key, (nodes = new Set(among.filter(isFit))));
    return nodes;
  }
}

function reachKey(volume: Volume): string {
  const isMigrated = !volume.spec?.csi && !volume.spec?.local;
  return JSON.stringify([volume.spec?.nodeAffinity?.required, zoneLabelsOf(volume), isMigrated]);
}
