import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { cloneFailureOf, cloneRefusal, otherSourcesText } from './clone-source.ts';
import type { VolumeFault } from './clone-source.ts';
import { explainTold, sourceEvidence } from './data-source.ts';
import { otherClasses } from './other-class.ts';
import { classChange, recreateClaim, sourceChange } from '../lib/remake-claim.ts';

/**
 * external-provisioner getPVCSource: the volume of the source must be a CSI volume of this driver that is bound to the
 * source.
 */
export const cloneSourceInvalid = claimRule({
  cause: 'clone-source-invalid',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = cloneFailureOf(c);
    if (failure?.check !== 'invalid') return undefined;
    const { source } = failure;
    const intro = `${claimText(c)} cannot be cloned from pvc/${source.name}`;
    if (failure.by === 'provisioner')
      return explainTold(c, failure, {
        summary:
          `${intro}: the provisioner reports its volume as missing, not bound to it, or of another driver than ` +
          `that of StorageClass "${c.class.name}".`,
        fix: [explainClaim(source.namespace, source.name)],
      });
    const { fault, original } = failure;
    return {
      summary: `${intro}: ${faultText(c, original, fault)}.`,
      evidence: [faultEvidence(original, fault), sourceEvidence(c, source), ...cloneRefusal(c, 'invalid')],
      fix: [advise(c, original, fault)],
    };
  },
});

function faultText(c: PresentClaim, original: PresentClaim, fault: VolumeFault): string {
  if (fault.is === 'missing') return `its volume, pv/${original.volumeName}, does not exist`;
  const volume = `its volume, pv/${fault.volume.metadata.name},`;
  switch (fault.is) {
    case 'notCsi':
      return `${volume} is not a CSI volume`;
    case 'otherDriver':
      return `${volume} belongs to ${fault.driver}, and StorageClass "${c.class.name}" provisions with ${fault.provisioner}`;
    case 'unclaimed':
      return `${volume} is bound to no claim`;
    case 'otherClaim': {
      const { namespace = '', name = '' } = fault.volume.spec?.claimRef ?? {};
      return `${volume} is bound to another claim (${namespace}/${name}, another uid)`;
    }
    case 'notBound':
      return `${volume} is in phase ${fault.volume.status?.phase ?? 'unknown'}, not Bound`;
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
  switch (fault.is) {
    case 'otherDriver':
      return useDriver(c, original, fault.driver);
    case 'notCsi':
      return recreateClaim(
        c,
        'without a data source',
        sourceChange(c, null),
        'Its volume is then empty: copy the data with a pod that mounts both claims, since volumes that are not ' +
          'CSI volumes cannot be cloned.',
      );
    case 'missing':
      return recreateClaim(
        c,
        `from another claim (PLACEHOLDER_SOURCE${otherSourcesText(c, original.name)})`,
        sourceChange(c, { name: 'PLACEHOLDER_SOURCE' }),
      );
    default:
      return explainClaim(original.namespace, original.name);
  }
}

/** The class of the source itself, if it is of that driver, is known to work. */
function useDriver(c: PresentClaim, original: PresentClaim, driver: string): Fix {
  const own = original.provisioner === driver ? original.class.name : undefined;
  const name = own ?? otherClasses(c, ({ provisioner }) => provisioner === driver)[0]?.name;
  return name === undefined
    ? recreateClaim(
        c,
        `with a StorageClass of ${driver} (PLACEHOLDER_CLASS)`,
        classChange(c, 'PLACEHOLDER_CLASS'),
        'None is known here: create one first.',
      )
    : recreateClaim(c, `with StorageClass "${name}", of ${driver}`, classChange(c, name));
}

/** The binding of the source is broken, which has a cause of its own. */
function explainClaim(namespace: string, name: string): Fix {
  return fix(
    `Repair the binding of pvc/${name} first: this explains what is wrong with it. The clone then continues automatically.`,
    `kubectl csi why pvc/${shellWord(name)} -n ${shellWord(namespace)}`,
  );
}
