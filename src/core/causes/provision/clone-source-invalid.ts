import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { cloneFailureOf, cloneRefusal, describeSource } from './clone-source.ts';
import type { VolumeFault } from './clone-source.ts';
import { explainTold, sourceEvidence } from './data-source.ts';
import { remakeClaim } from './remake-claim.ts';

/** external-provisioner getPVCSource: the volume of the source must be a CSI volume of this driver that is bound to the source. */
export const cloneSourceInvalid = claimRule({
  cause: 'clone-source-invalid',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = cloneFailureOf(c);
    if (failure?.check !== 'invalid') return undefined;
    const { source } = failure;
    if (failure.by === 'provisioner')
      return explainTold(c, failure, {
        summary: `pvc/${source.name} cannot be cloned: its volume is missing, not bound to it, or belongs to another driver than that of class ${c.class.name}`,
        fix: [describeSource(source)],
      });
    const { fault, original } = failure;
    return {
      summary: `pvc/${source.name} cannot be cloned: ${faultText(c, original, fault)}`,
      evidence: [faultEvidence(original, fault), sourceEvidence(c, source), ...cloneRefusal(c, 'invalid')],
      fix: [advise(c, original, fault)],
    };
  },
});

function faultText(c: PresentClaim, original: PresentClaim, fault: VolumeFault): string {
  if (fault.is === 'missing') return `pv/${original.volumeName} of pvc/${original.name} does not exist`;
  const volume = `its volume pv/${fault.volume.metadata.name}`;
  switch (fault.is) {
    case 'notCsi':
      return `${volume} is not a CSI volume`;
    case 'otherDriver':
      return `${volume} belongs to ${fault.driver}, and class ${c.class.name} provisions with ${fault.provisioner}`;
    case 'unclaimed':
      return `${volume} is bound to no claim`;
    case 'otherClaim':
      return `${volume} is bound to another claim`;
    case 'notBound':
      return `${volume} is ${fault.volume.status?.phase ?? 'in no phase'}, not Bound`;
  }
}

const faultPaths = {
  notCsi: 'spec.csi',
  otherDriver: 'spec.csi.driver',
  unclaimed: 'spec.claimRef',
  otherClaim: 'spec.claimRef',
  notBound: 'status.phase',
} as const;

function faultEvidence(original: PresentClaim, fault: VolumeFault): Evidence {
  return fault.is === 'missing'
    ? absent('PersistentVolume', original.volumeName)
    : field(fault.volume, faultPaths[fault.is]);
}

function advise(c: PresentClaim, original: PresentClaim, fault: VolumeFault): Fix {
  return fault.is === 'otherDriver'
    ? remakeClaim(c, 'with a class of the driver that made the source')
    : fix('look at the volume of the source', `kubectl get pv ${shellWord(original.volumeName)} -o yaml`);
}
