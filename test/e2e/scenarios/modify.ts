import type { KubernetesObject } from '../cluster/api.ts';
import type { Driver, DriverOptions } from '../storage/driver.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

function attributesClass(world: World, name: string, driverName: string): Promise<KubernetesObject> {
  return world.make({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    metadata: { name },
    driverName,
    parameters: { tier: name },
  });
}

/** A bound claim of a driver of its own, with two classes: one that is as good as any, and the one that is wanted. */
async function modifiable(world: World, name: string, options: Partial<DriverOptions> = {}): Promise<Driver> {
  const { driver, storageClassName } = await world.ownDriver({
    name: `${name}.csi.test`,
    resizer: true,
    modifies: true,
    ...options,
  });
  await attributesClass(world, `e2e-${name}-plain`, driver.name);
  await world.boundClaim('data', storageClassName);
  return driver;
}

function want(world: World, volumeAttributesClassName: string): Promise<KubernetesObject> {
  return world.api.patch(world.object('v1', 'PersistentVolumeClaim', 'data'), { spec: { volumeAttributesClassName } });
}

async function modified(world: World, name: string): Promise<void> {
  await world.until(
    `the volume to be modified to ${name}`,
    120,
    async () =>
      (await world.api.get(world.object('v1', 'PersistentVolumeClaim', 'data')))?.['status']
        ?.currentVolumeAttributesClassName === name || undefined,
  );
}

function refusedModification(name: string, code: number, message: string, cause: string): Scenario {
  return {
    name: `modify-${name}`,
    phase: 'resize',
    command: 'why',
    target: 'pvc/data',
    status: 'blocked',
    cause,
    mustMention: [message],
    patience: 200,
    minors: ['1.36'],
    note: `ControllerModifyVolume answers "${message}".`,
    break: async (world) => {
      const driver = await modifiable(world, name);
      await attributesClass(world, `e2e-${name}-turbo`, driver.name);
      const fault = { method: 'ControllerModifyVolume', code, message };
      driver.faults.add(fault);
      await want(world, `e2e-${name}-turbo`);
      await world.event('data', 'VolumeModifyFailed');
      world.mend = () => driver.faults.delete(fault);
    },
    // One that is infeasible is tried again much later only; another class is tried at once.
    heal: async (world) => {
      await world.mend();
      await want(world, `e2e-${name}-plain`);
      await modified(world, `e2e-${name}-plain`);
    },
  };
}

/** The resizer asks for classes of a version that 1.37 serves no more: there it never starts, which is its own scenario. */
export const modifyScenarios: readonly Scenario[] = [
  {
    name: 'modify-class-missing',
    phase: 'resize',
    command: 'why',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'modify-vac-missing',
    mustMention: ['e2e-absent-turbo'],
    patience: 200,
    minors: ['1.36'],
    note: 'A bound claim was pointed at a VolumeAttributesClass that does not exist.',
    break: async (world) => {
      await modifiable(world, 'absent');
      await want(world, 'e2e-absent-turbo');
      await world.event('data', 'VolumeModifyFailed');
    },
    heal: async (world) => {
      await want(world, 'e2e-absent-plain');
      await modified(world, 'e2e-absent-plain');
    },
  },
  refusedModification('infeasible', 3, 'the tier is not known', 'modify-infeasible'),
  refusedModification('error', 13, 'the array is busy with a rebuild', 'modify-error'),
  {
    name: 'modify-unsupported',
    phase: 'resize',
    command: 'why',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'modify-unsupported',
    mustMention: ['rigid.csi.test'],
    patience: 240,
    note: 'A bound claim was pointed at a VolumeAttributesClass, and the resizer of the driver does not modify volumes: nothing happens, and nothing is said.',
    fix: { skip: 'No resizer that changes volumes can be had for this version of Kubernetes.' },
    break: async (world) => {
      const driver = await modifiable(world, 'rigid', { modifies: false });
      await attributesClass(world, 'e2e-rigid-turbo', driver.name);
      await want(world, 'e2e-rigid-turbo');
    },
  },
];
