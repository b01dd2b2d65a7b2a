import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { volumesNaming } from '../../facts/claim/claimed-volumes.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { claimRefField } from './reserved-volume.ts';

/**
 * persistentvolume/index.go findByClaim: groups with fewer access modes are searched first, and a hit there ends the
 * search.
 */
export const pvPreboundStolen = claimRule({
  cause: 'pv-prebound-stolen',
  stage: 'bind',
  severity: 'warning',
  explain(c) {
    if (!c.isBound) return undefined;
    const waiting = volumesNaming(c.ask, c.claim).find(
      (volume) => volume.metadata.name !== c.volumeName && !volume.spec?.claimRef?.uid,
    );
    if (!waiting) return undefined;
    return {
      summary: `pv/${waiting.metadata.name} is reserved for ${claimText(c)}, which is bound to pv/${c.volumeName} instead.`,
      evidence: [field(c.claim, 'spec.volumeName'), claimRefField(waiting), field(waiting, 'status.phase')],
      fix: [freeOther(c, waiting), moveClaim(c, waiting)],
    };
  },
});

function freeOther(c: PresentClaim, waiting: Volume): Fix {
  return steps(
    `If pv/${c.volumeName} is the right volume, remove the reservation of pv/${waiting.metadata.name}. Another claim may then take it.`,
    [patchCommand(waiting, { spec: { claimRef: null } })],
  );
}

/** The claim names the volume, too, so that no other can come between; its present volume is kept. */
function moveClaim(c: PresentClaim, waiting: Volume): Fix {
  const present: Volume = { kind: 'PersistentVolume', metadata: { name: c.volumeName } };
  return steps(
    `If pv/${waiting.metadata.name} is the right volume, stop the pods of the claim and recreate it with ` +
      `volumeName ${waiting.metadata.name}. What it has written stays on pv/${c.volumeName}, which is kept.`,
    [
      patchCommand(present, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
      ...recreateCommands(c.claim, { spec: { volumeName: waiting.metadata.name } }),
    ],
    'disruptive',
  );
}
