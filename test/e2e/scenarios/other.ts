import type { Scenario } from './scenario.ts';

export const otherScenarios: readonly Scenario[] = [
  {
    name: 'healthy',
    phase: 'other',
    target: 'pvc/data',
    status: 'healthy',
    cause: null,
    smoke: true,
    note: 'Nothing is wrong: the claim is Bound, and its pod runs.',
    break: async (world) => {
      await world.claim('data', 'fast-wffc');
      await world.pod('app', ['data']);
      await world.running('app');
    },
  },
  {
    name: 'healthy-pod',
    phase: 'other',
    target: 'pod/app',
    status: 'healthy',
    cause: null,
    note: 'Nothing is wrong: the pod runs with an Immediate and a WaitForFirstConsumer claim.',
    break: async (world) => {
      await world.claim('data', 'fast-wffc');
      await world.claim('more', 'fast-immediate');
      await world.pod('app', ['data', 'more']);
      await world.running('app');
    },
  },
  {
    name: 'viewer-missing-class',
    phase: 'other',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'sc-missing',
    user: 'viewer',
    exitCodes: [1, 3],
    toldByEvents: true,
    note: 'The class is missing, and the one who asks may not read classes: could not look is not nothing wrong.',
    break: async (world) => {
      await world.claim('data', 'e2e-silver');
      await world.event('data', 'ProvisioningFailed');
    },
  },
  {
    name: 'viewer-healthy',
    phase: 'other',
    target: 'pvc/data',
    status: 'healthy',
    cause: null,
    user: 'viewer',
    note: 'Nothing is wrong, and the built-in role view is enough to see it.',
    break: async (world) => {
      await world.claim('data', 'fast-wffc');
      await world.pod('app', ['data']);
      await world.running('app');
    },
  },
  {
    name: 'nobody',
    phase: 'other',
    target: 'pvc/data',
    status: 'unknown',
    cause: null,
    user: 'nobody',
    exitCodes: [3, 4],
    note: 'The one who asks may read nothing at all.',
    break: async (world) => {
      await world.claim('data', 'fast-immediate');
      await world.bound('data');
    },
  },
];
