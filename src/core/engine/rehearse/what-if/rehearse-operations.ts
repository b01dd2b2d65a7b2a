import type { Kind, Pod } from '../../../kube/kinds.ts';
import { compareText } from '../../../kube/order.ts';
import type { Need, Snapshot } from '../../../kube/snapshot.ts';
import type { Unread } from '../../../report/report.ts';
import { effectKinds } from '../../../report/what-if.ts';
import type { WhatIfEffect } from '../../../report/what-if.ts';
import { applyManifests } from './apply.ts';
import { chooseNodes } from './choose-nodes.ts';
import { judgeControllers } from './controllers-down.ts';
import { deleteObject } from './delete-objects.ts';
import { detachUnused } from './detach-unused.ts';
import { tellDifferences } from './differences.ts';
import { judgeEvictions } from './evictions.ts';
import { Future } from './future.ts';
import { drainNodes, loseNodes } from './leave-node.ts';
import type { Misnomer, Operation } from './operation.ts';
import { releaseClaims, releaseEphemeral, releaseTerminating } from './release.ts';
import { judgeRestarts } from './restart.ts';
import { scaleWorkload } from './scale.ts';
import { settle } from './settle.ts';
import { judgeSharedVolumes } from './shared-volumes.ts';
import { upgradeTo } from './upgrade.ts';
import { tellWaits } from './waits.ts';

export interface Rehearsed {
  readonly effects: readonly WhatIfEffect[];
  readonly displaced: number;
  readonly unforeseen: readonly string[];
  readonly unread: readonly Unread[];
  readonly needs: readonly Need[];
  readonly misnomers: readonly Misnomer[];
}

/** Read for every operation: where pods run, what they use, and what is left for them. */
const alwaysNeeded: readonly (readonly [Kind, string])[] = [
  ['Node', 'which nodes exist and what they offer'],
  ['Pod', 'which pods run where, and what they use and request'],
  ['PersistentVolumeClaim', 'which claims the pods use'],
  ['PersistentVolume', 'where volumes are and what becomes of them'],
  ['CSINode', 'how many volumes each node may hold'],
  ['VolumeAttachment', 'how many volumes each node holds'],
  ['StorageClass', 'how claims without a volume would get one'],
  ['CSIDriver', 'which drivers have to attach their volumes'],
];

/** All operations one after the other on one imagined cluster, and then everything that follows from them together. */
export function rehearseOperations(snapshot: Snapshot, operations: readonly Operation[], namespace: string): Rehearsed {
  const f = new Future(snapshot);
  for (const [kind, needed] of alwaysNeeded) f.before.list(kind, undefined, needed);
  if (operations.some(({ verb }) => verb === 'drain'))
    f.before.list('PodDisruptionBudget', undefined, 'whether a PodDisruptionBudget blocks an eviction');
  const isUnasked = f.before.unanswered.some(({ wasAsked }) => !wasAsked) && snapshot.source.type === 'cluster';
  const restarts = isUnasked ? [] : operations.map((operation) => act(f, operation, namespace));
  if (!isUnasked && f.misnomers.length === 0) play(f, operations, restarts);
  return {
    effects: f.effects.toSorted(bySeverity),
    displaced: f.departures.length,
    unforeseen: [...f.unforeseen].sort(compareText),
    unread: f.unread,
    needs: f.needs,
    misnomers: f.misnomers,
  };
}

interface Restarts {
  readonly pods: readonly Pod[];
  readonly words: string;
}

function act(f: Future, operation: Operation, namespace: string): Restarts {
  const words = `after "${operation.text}"`;
  switch (operation.verb) {
    case 'drain':
      drainNodes(f, chooseNodes(f, operation.nodes));
      return { pods: [], words };
    case 'lose':
      loseNodes(f, chooseNodes(f, operation.nodes));
      return { pods: [], words };
    case 'delete':
      return { pods: operation.targets.flatMap((target) => deleteObject(f, target)), words };
    case 'scale':
      scaleWorkload(f, operation.target, operation.replicas);
      return { pods: [], words };
    case 'apply':
      return { pods: applyManifests(f, operation.manifests, namespace), words };
    default:
      upgradeTo(f, operation.version);
      return { pods: [], words };
  }
}

function play(f: Future, operations: readonly Operation[], restarts: readonly Restarts[]): void {
  detachUnused(f);
  const dependent = [...judgeControllers(f)];
  releaseEphemeral(f);
  releaseTerminating(f);
  releaseClaims(f);
  const failed = settle(f);
  if (failed.size > 0) dependent.push(...judgeControllers(f, failed));
  judgeSharedVolumes(f);
  judgeEvictions(f, f.departures, failed);
  tellWaits(f, failed);
  if (dependent.length > 0) judgeRestarts(f, dependent, 'without the controller of their driver');
  for (const { pods, words } of restarts) if (pods.length > 0) judgeRestarts(f, pods, words);
  const touchesObjects = operations.some(({ verb }) => verb === 'delete' || verb === 'apply' || verb === 'scale');
  if (touchesObjects) tellDifferences(f);
  if (f.departures.length > 0 && f.added > 0)
    f.add({
      effect: 'cannot-start',
      severity: 'breaks',
      confidence: 'possible',
      summary: `It is not known whether there is room for all: the ${f.added === 1 ? 'new pod' : `${f.added} new pods`} and the pods that have to leave were not placed together. Carry out what adds pods first, and ask again.`,
      objects: [],
    });
  if (f.departures.length > 0) {
    f.unforeseen.add('Whether a storage system can attach each volume where its pod starts, and how long that takes.');
    f.unforeseen.add(
      'Preemption, autoscalers, webhooks and descheduling: pods were placed on the nodes that exist, and no pod was evicted for another.',
    );
  }
}

const severities = ['breaks', 'wait', 'notice'] as const;

function bySeverity(one: WhatIfEffect, other: WhatIfEffect): number {
  return (
    severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
    effectKinds.indexOf(one.effect) - effectKinds.indexOf(other.effect) ||
    other.objects.length - one.objects.length
  );
}
