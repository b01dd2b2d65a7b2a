import type { Confidence, Evidence, Fix } from '../../report/report.ts';
import type { CapacityView } from '../../facts/class/storage-capacity.ts';
import { absent, field, fix, note, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { blames, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { suspectedCapacity } from './published-capacity.ts';

/** With storageCapacity on, no published capacity means no space anywhere (binder hasEnoughCapacity). */
export const wffcCapacityObjectsMissing = podRule({
  cause: 'wffc-capacity-objects-missing',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const view = findUnpublished(p);
    if (!view) return undefined;
    const { driver, claim, coverage } = view;
    const className = view.storageClass.metadata.name;
    return {
      confidence: confidenceOf(view),
      about: `${driver}/${className}`,
      summary: `driver ${driver} promises to publish its free space and ${coverage === 'complete' ? 'has published none' : 'the dump holds none of it'} for class ${className}, so the scheduler finds room for pvc/${claim.name} nowhere`,
      evidence: evidenceOf(p, view),
      fix: adviceFor(driver),
    };
  },
});

function findUnpublished(p: PodCase): CapacityView | undefined {
  const isBlamed = blames(p, storageTexts.freeStorage) === true;
  return suspectedCapacity(p).find(({ published, coverage, csiDriver }) => {
    // A dump with the driver and none of its capacity most likely comes from a cluster without any; one without both is incomplete.
    const isMissingInDump = coverage === 'unread' && isBlamed && csiDriver !== undefined;
    return published.length === 0 && (coverage === 'complete' || isMissingInDump);
  });
}

function confidenceOf({ coverage, csiDriver }: CapacityView): Confidence {
  if (coverage !== 'complete') return 'possible';
  return csiDriver ? 'certain' : 'likely';
}

function evidenceOf(p: PodCase, view: CapacityView): EvidenceList {
  const { csiDriver, storageClass } = view;
  return [
    csiDriver ? field(csiDriver, 'spec.storageCapacity') : field(storageClass, 'provisioner'),
    missingCapacity(view),
    ...schedulerSaid(p),
  ];
}

function missingCapacity({ coverage, storageClass }: CapacityView): Evidence {
  const name = `storageClassName=${storageClass.metadata.name}`;
  return coverage === 'complete'
    ? absent('CSIStorageCapacity', name)
    : note({ kind: 'CSIStorageCapacity', metadata: { name } }, 'not in the dump');
}

function adviceFor(driver: string): Fix[] {
  return [
    fix(
      `look what is published, and let the external-provisioner of ${driver} publish it (--enable-capacity, the right to write csistoragecapacities, a driver that answers GetCapacity)`,
      `kubectl get csistoragecapacities -A -l csi.storage.k8s.io/drivername=${shellWord(driver)}`,
    ),
    fix(
      'or tell the scheduler not to look at capacity',
      `kubectl patch csidriver ${shellWord(driver)} --type=merge -p '{"spec":{"storageCapacity":false}}'`,
    ),
  ];
}
