import type { Resource } from './resource.ts';

const batch = { group: 'batch', versions: ['v1'] } as const;
const apps = { group: 'apps', versions: ['v1'] } as const;

/** What creates pods, what protects them, and the leases of controllers. */
export const workloadResources: readonly Resource[] = [
  {
    kind: 'Lease',
    name: 'leases',
    group: 'coordination.k8s.io',
    versions: ['v1'],
    namespaced: true,
    aliases: ['lease'],
    isMany: true,
    tells: 'whether the controllers are alive',
  },
  {
    kind: 'StatefulSet',
    name: 'statefulsets',
    ...apps,
    namespaced: true,
    aliases: ['statefulset', 'sts'],
    tells: 'which claims a StatefulSet expects',
  },
  {
    kind: 'Deployment',
    name: 'deployments',
    ...apps,
    namespaced: true,
    aliases: ['deployment', 'deploy'],
    tells: 'where the driver controller is deployed',
  },
  {
    kind: 'ReplicaSet',
    name: 'replicasets',
    ...apps,
    namespaced: true,
    aliases: ['replicaset', 'rs'],
    isMany: true,
    tells: 'which pods a Deployment makes',
  },
  {
    kind: 'DaemonSet',
    name: 'daemonsets',
    ...apps,
    namespaced: true,
    aliases: ['daemonset', 'ds'],
    tells: 'where the node plugin is deployed',
  },
  {
    kind: 'Job',
    name: 'jobs',
    ...batch,
    namespaced: true,
    aliases: ['job'],
    isMany: true,
    tells: 'whether the Job exists',
  },
  {
    kind: 'CronJob',
    name: 'cronjobs',
    ...batch,
    namespaced: true,
    aliases: ['cronjob', 'cj'],
    isMany: true,
    tells: 'whether the CronJob exists',
  },
  {
    kind: 'PodDisruptionBudget',
    name: 'poddisruptionbudgets',
    group: 'policy',
    versions: ['v1'],
    namespaced: true,
    aliases: ['poddisruptionbudget', 'pdb'],
    tells: 'whether a disruption budget blocks an eviction',
  },
];
