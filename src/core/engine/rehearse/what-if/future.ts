import type { Claim, Kind, Pod } from '../../../kube/kinds.ts';
import { nearNames } from '../../../kube/names.ts';
import { resourceOf, shortNameOf } from '../../../kube/resources.ts';
import type { Need, RawObject, Snapshot } from '../../../kube/snapshot.ts';
import type { ObjectRef, Unread } from '../../../report/report.ts';
import type { WhatIfEffect } from '../../../report/what-if.ts';
import { graphOf } from '../../../graph/cluster-graph.ts';
import { Inquiry } from '../../../graph/inquiry.ts';
import type { Unanswered } from '../../../graph/inquiry.ts';
import { describeUnread, needsOf } from '../../../graph/unread.ts';
import { World } from '../world.ts';
import type { Misnomer } from './operation.ts';

/** Why a pod leaves its node. */
export type Leaving = 'drained' | 'deleted' | 'lost' | 'node deleted';

export interface Departure {
  readonly pod: Pod;
  readonly raw: RawObject;
  readonly node: string;
  readonly why: Leaving;
  /** A controller creates it again. */
  readonly returns: boolean;
}

/** The cluster as it would become, and what is noticed on the way. */
export class Future {
  readonly snapshot: Snapshot;
  /** Questions about the cluster as it is. */
  readonly before: Inquiry;
  readonly world: World;
  readonly departures: Departure[] = [];
  /** Claims that are deleted once all operations are known: pods that use them may go as well. */
  readonly leavingClaims: Claim[] = [];
  readonly effects: WhatIfEffect[] = [];
  readonly unforeseen = new Set<string>();
  readonly misnomers: Misnomer[] = [];
  readonly #needs: Need[] = [];
  readonly #unanswered: Unanswered[] = [];

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
    this.before = new Inquiry(graphOf(snapshot));
    this.world = new World(snapshot);
  }

  add(effect: Pick<WhatIfEffect, 'effect' | 'severity' | 'summary' | 'objects'> & Partial<WhatIfEffect>): void {
    const { evidence = [], ...rest } = effect;
    // A deletion that is only imagined is no evidence.
    const facts = evidence
      .filter(({ value }) => value !== this.world.madeAt)
      .map(({ object: { uid: _uid, ...object }, ...piece }) => ({ ...piece, object }));
    this.effects.push({ confidence: 'certain', prevention: [], fix: [], ...rest, evidence: facts });
  }

  /** Keeps the questions that were open when something was asked. */
  note(ask: Inquiry): void {
    this.#unanswered.push(...ask.unanswered);
  }

  need(needs: readonly Need[]): void {
    this.#needs.push(...needs);
  }

  get needs(): readonly Need[] {
    return [...needsOf(this.#allUnanswered), ...this.#needs];
  }

  get unread(): readonly Unread[] {
    return describeUnread(this.#allUnanswered);
  }

  get #allUnanswered(): readonly Unanswered[] {
    return [...this.before.unanswered, ...this.#unanswered];
  }

  /**
   * An object that an operation names; without it, the operation has a name that does not exist, or that could not be
   * read.
   */
  find<K extends Kind>(kind: K, namespace: string | undefined, name: string): RawObject | undefined {
    const found = this.before.get(kind, namespace, name, `whether ${shortNameOf(kind)}/${name} exists`);
    const raw = this.world.get(kind, namespace, name);
    if (found.state !== 'missing' || raw) return raw;
    const known = this.before.graph
      .all(kind)
      .filter(({ metadata }) => !resourceOf(kind).namespaced || metadata.namespace === namespace)
      .map(({ metadata }) => metadata.name);
    const place = resourceOf(kind).namespaced ? ` in namespace ${namespace ?? 'default'}` : '';
    this.misnomers.push({
      noun: resourceOf(kind).kind,
      wanted: name,
      near: nearNames(name, known),
      hint: `List them: kubectl get ${resourceOf(kind).name}${place === '' ? '' : ` -n ${namespace ?? 'default'}`}`,
    });
    return undefined;
  }
}

/** Without the uid, which does not help a reader. */
export function plainRef({
  kind,
  metadata: { namespace, name },
}: {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}): ObjectRef {
  return { kind, ...(namespace !== undefined && { namespace }), name };
}
