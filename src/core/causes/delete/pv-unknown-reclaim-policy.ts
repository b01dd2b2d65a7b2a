import { newestMatch } from '../../graph/events.ts';
import { eventSaid } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import { stateEvidence } from './failed-volume.ts';
import { retainFix } from './data-first.ts';
import { policyOf } from './reclaim-policy.ts';

/**
 * pv_controller reclaimVolume knows three policies; another one comes from a newer server, or from an object written by
 * hand.
 */
export const pvUnknownReclaimPolicy = objectRule('PersistentVolume', {
  cause: 'pv-unknown-reclaim-policy',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const policy = policyOf(v.object);
    const { status } = v.object;
    if (
      ['Retain', 'Delete', 'Recycle'].includes(policy) ||
      (status?.phase !== 'Released' && status?.phase !== 'Failed')
    )
      return undefined;
    const said = newestMatch(v.events.items, 'VolumeUnknownReclaimPolicy', /[^]*/);
    return {
      summary: `pv/${v.name} has reclaim policy "${policy}", which the volume controller does not know, so nothing happens to it.`,
      evidence: [...stateEvidence(v), ...(said ? [eventSaid(v.object, said.event)] : [])],
      fix: [
        retainFix(
          v.name,
          'Set a policy that exists. Retain keeps the data; the volume can then be given to a new claim or removed.',
        ),
      ],
    };
  },
});
