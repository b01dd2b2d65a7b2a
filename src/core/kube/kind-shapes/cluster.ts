import { podSpec, podStatus } from '../pod-shapes.ts';
import { boolean, list, map, number, quantity, record, string } from '../shape.ts';
import { condition, reference } from '../shared-shapes.ts';

/** What every cluster has. */
export const clusterShapes = {
  Pod: { spec: podSpec, status: podStatus },
  Node: {
    spec: record({
      unschedulable: boolean,
      providerID: string,
      taints: list(record({ key: string, value: string, effect: string, timeAdded: string })),
    }),
    status: record({
      capacity: map(quantity),
      allocatable: map(quantity),
      conditions: list(condition),
      volumesAttached: list(record({ name: string, devicePath: string })),
      volumesInUse: list(string),
      nodeInfo: record({
        kubeletVersion: string,
        osImage: string,
        operatingSystem: string,
        kernelVersion: string,
        containerRuntimeVersion: string,
      }),
      runtimeHandlers: list(record({ name: string, features: record({ recursiveReadOnlyMounts: boolean }) })),
    }),
  },
  Namespace: { status: record({ phase: string, conditions: list(condition) }) },
  Event: {
    type: string,
    reason: string,
    message: string,
    note: string,
    count: number,
    deprecatedCount: number,
    firstTimestamp: string,
    lastTimestamp: string,
    deprecatedFirstTimestamp: string,
    deprecatedLastTimestamp: string,
    eventTime: string,
    series: record({ count: number, lastObservedTime: string }),
    involvedObject: reference,
    regarding: reference,
    related: reference,
    source: record({ component: string, host: string }),
    deprecatedSource: record({ component: string, host: string }),
    reportingComponent: string,
    reportingController: string,
    reportingInstance: string,
    action: string,
  },
  Lease: {
    spec: record({
      holderIdentity: string,
      leaseDurationSeconds: number,
      acquireTime: string,
      renewTime: string,
      leaseTransitions: number,
    }),
  },
  ResourceQuota: {
    spec: record({
      hard: map(quantity),
      scopes: list(string),
      scopeSelector: record({
        matchExpressions: list(record({ scopeName: string, operator: string, values: list(string) })),
      }),
    }),
    status: record({ hard: map(quantity), used: map(quantity) }),
  },
  LimitRange: { spec: record({ limits: list(record({ type: string, min: map(quantity), max: map(quantity) })) }) },
  Secret: { type: string },
  ConfigMap: {},
} as const;
