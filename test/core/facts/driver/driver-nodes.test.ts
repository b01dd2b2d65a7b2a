import { describe, expect, it } from 'vitest';
import { surveyPlacements } from '../../../../src/core/facts/driver/driver-nodes.ts';
import { ClusterGraph } from '../../../../src/core/graph/cluster-graph.ts';
import { Inquiry } from '../../../../src/core/graph/inquiry.ts';
import type { RawObject } from '../../../../src/core/kube/snapshot.ts';
import { baseObjects, snapshotOf } from '../../../kit/scenario.ts';

const withReadiness = (status: string): readonly RawObject[] =>
  baseObjects().map((object) =>
    object.kind === 'Node' && object.metadata.name === 'node-b'
      ? { ...object, status: { conditions: [{ type: 'Ready', status }] } }
      : object,
  );

function placeOnNodeB(status: string): { readonly state?: string; readonly why?: string } {
  const ask = new Inquiry(new ClusterGraph(snapshotOf(withReadiness(status))));
  const found = surveyPlacements(ask, 'csi.example.com', undefined).placements.find(({ node }) => node === 'node-b');
  return { ...(found && { state: found.state }), ...(found?.why !== undefined && { why: found.why }) };
}

describe('a driver on a node', () => {
  it('is ready while the node is', () => {
    expect(placeOnNodeB('True')).toEqual({ state: 'ready' });
  });

  it('is not called ready by what a node reported before it stopped answering', () => {
    expect(placeOnNodeB('Unknown')).toEqual({ state: 'notReady', why: 'the node is not ready' });
    expect(placeOnNodeB('False')).toEqual({ state: 'notReady', why: 'the node is not ready' });
  });
});
