import { describe, expect, it } from 'vitest';
import { ClusterGraph } from '../../../src/core/graph/cluster-graph.ts';
import { Inquiry } from '../../../src/core/graph/inquiry.ts';
import { ClaimCase } from '../../../src/core/facts/claim/claim-case.ts';
import { growthSince, isExpanding, isModifying, modifySince } from '../../../src/core/journey/claim-growth.ts';
import type { RawObject } from '../../../src/core/kube/snapshot.ts';
import { ago, snapshotOf } from '../../kit/scenario.ts';

describe('a claim that grows', () => {
  it('asks for more than it has, or has not come to the end of it', () => {
    expect(isExpanding(claimWith({ status: { capacity: { storage: '5Gi' } } }))).toBe(true);
    expect(isExpanding(claimWith({ status: { capacity: { storage: '10Gi' } } }))).toBe(false);
    expect(isExpanding(claimWith({ status: { capacity: { storage: '10240Mi' } } }))).toBe(false);
    expect(
      isExpanding(
        claimWith({
          status: {
            capacity: { storage: '10Gi' },
            allocatedResourceStatuses: { storage: 'ControllerResizeInProgress' },
          },
        }),
      ),
    ).toBe(true);
  });

  it('has come to the end of it when only the state of the node is left behind', () => {
    const allocatedResourceStatuses = { storage: 'NodeResizePending' };
    const capacity = { storage: '10Gi' };
    expect(isExpanding(claimWith({ status: { capacity, allocatedResourceStatuses } }))).toBe(false);
    const allocatedResources = { storage: '20Gi' };
    expect(isExpanding(claimWith({ status: { capacity, allocatedResourceStatuses, allocatedResources } }))).toBe(true);
    const conditions = [{ type: 'FileSystemResizePending', status: 'True' }];
    expect(isExpanding(claimWith({ status: { capacity, allocatedResourceStatuses, conditions } }))).toBe(true);
  });

  it('is not one whose capacity nobody wrote down', () => {
    expect(isExpanding(claimWith({ status: {} }))).toBe(false);
    expect(isExpanding(claimWith({ status: { capacity: {} } }))).toBe(false);
  });

  it('is not one that is not bound, or being deleted', () => {
    expect(isExpanding(claimWith({ status: { phase: 'Pending', capacity: { storage: '5Gi' } } }))).toBe(false);
    expect(
      isExpanding(claimWith({ metadata: { deletionTimestamp: ago('1m') }, status: { capacity: { storage: '5Gi' } } })),
    ).toBe(false);
  });

  it('tells when it was asked for by who wrote the request', () => {
    const managedFields = [
      {
        manager: 'kubectl-edit',
        time: ago('3m'),
        fieldsV1: { 'f:spec': { 'f:resources': { 'f:requests': { 'f:storage': {} } } } },
      },
    ];
    expect(growthSince(claimWith({ metadata: { managedFields }, status: { capacity: { storage: '5Gi' } } }))).toBe(
      Date.parse(ago('3m')),
    );
    expect(growthSince(claimWith({ status: { capacity: { storage: '5Gi' } } }))).toBeUndefined();
  });
});

describe('a claim that changes its attributes class', () => {
  it('names another class than it has', () => {
    expect(
      isModifying(
        claimWith({
          spec: { volumeAttributesClassName: 'gold' },
          status: { currentVolumeAttributesClassName: 'silver' },
        }),
      ),
    ).toBe(true);
    expect(
      isModifying(
        claimWith({
          spec: { volumeAttributesClassName: 'gold' },
          status: { currentVolumeAttributesClassName: 'gold' },
        }),
      ),
    ).toBe(false);
    expect(isModifying(claimWith({ status: {} }))).toBe(false);
  });

  it('is as old as the claim, if the class was requested in the second of its creation', () => {
    const managedFields = [
      { manager: 'kubectl-patch', time: ago('9d'), fieldsV1: { 'f:spec': { 'f:volumeAttributesClassName': {} } } },
    ];
    const spec = { volumeAttributesClassName: 'gold' };
    expect(modifySince(claimWith({ metadata: { managedFields }, spec, status: {} }))).toBe(Date.parse(ago('9d')));
    expect(modifySince(claimWith({ spec, status: {} }))).toBeUndefined();
  });

  it('is not one that took its wish back before anything began', () => {
    expect(
      isModifying(
        claimWith({
          status: { modifyVolumeStatus: { status: 'Infeasible', targetVolumeAttributesClassName: 'gold' } },
        }),
      ),
    ).toBe(false);
    expect(
      isModifying(
        claimWith({
          status: { modifyVolumeStatus: { status: 'InProgress', targetVolumeAttributesClassName: 'gold' } },
        }),
      ),
    ).toBe(true);
  });
});

function claimWith({
  metadata = {},
  spec = {},
  status,
}: {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status: object;
}): ClaimCase {
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'shop', uid: 'uid-1', creationTimestamp: ago('9d'), ...metadata },
    spec: { volumeName: 'pv-1', resources: { requests: { storage: '10Gi' } }, ...spec },
    status: { phase: 'Bound', ...status },
  } as unknown as RawObject;
  return new ClaimCase(new Inquiry(new ClusterGraph(snapshotOf([claim]))), 'shop', 'data');
}
