import type { Confidence, Evidence, Fix } from '../../report/report.ts';
import type { CapacityView } from '../../facts/class/storage-capacity.ts';
import { absent, field, note, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { blames, nameAll, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { driverGap } from './open-node.ts';
import { ignoreCapacity, suspectedCapacity } from './published-capacity.ts';

const mostChecked = 4;

/** With storageCapacity on, no published capacity means no space anywhere (binder hasEnoughCapacity). */
export const wffcCapacityObjectsMissing = podRule({
  cause: 'wffc-capacity-objects-missing',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const view = findUnpublished(p);
    if (!view) return undefined;
    const { driver, claim, coverage, csiDriver } = view;
    const className = view.storageClass.metadata.name;
    return {
      confidence: confidenceOf(view),
      about: `${driver}/${className}`,
      summary:
        `The scheduler finds no room for pvc/${claim.name} on any node: ` +
        `${csiDriver ? `CSIDriver ${driver} has storageCapacity: true` : `${driver} is expected to publish its capacity`}, ` +
        `and no CSIStorageCapacity for StorageClass "${className}" ` +
        `${coverage === 'complete' ? 'exists' : 'is in the dump'}.${deployedText(view)}`,
      evidence: evidenceOf(p, view),
      fix: adviceFor(p, view),
    };
  },
});

function findUnpublished(p: PodCase): CapacityView | undefined {
  const isBlamed = blames(p, storageTexts.freeStorage) === true;
  return suspectedCapacity(p).find(({ published, coverage, csiDriver }) => {
    // A dump with the driver and none of its capacity most likely comes from a cluster without any; one without both is
    // incomplete.
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

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Whether the manifest that was last applied had the field switched off: then it was changed by hand. */
function wasDeployedWithout({ csiDriver }: CapacityView): boolean {
  return /"storageCapacity":\s*false/.test(csiDriver?.metadata.annotations?.[lastApplied] ?? '');
}

function deployedText(view: CapacityView): string {
  return wasDeployedWithout(view) ? ' The manifest that was last applied says storageCapacity: false.' : '';
}

function adviceFor(p: PodCase, view: CapacityView): Fix[] {
  const { driver, storageClass } = view;
  const off = ignoreCapacity(
    p,
    driver,
    wasDeployedWithout(view) ? 'Set the field back to what was deployed' : 'Stop the check',
  );
  return [
    ...off.map((each) => stopCheck(p, view, each)),
    steps(
      `${off.length > 0 ? 'Or let' : 'Let'} the driver publish its capacity: ` +
        `run the external-provisioner of ${driver} with --enable-capacity, with NAMESPACE and POD_NAME in its ` +
        'environment and the right to write csistoragecapacities. ' +
        `It publishes StorageClass "${storageClass.metadata.name}" within a minute, if the driver ` +
        'implements GetCapacity.',
      [],
      'disruptive',
    ),
  ];
}

/** Without the check every node is open, also one where the driver is not registered. */
function stopCheck(p: PodCase, { driver, coverage }: CapacityView, { text, command = '' }: Fix): Fix {
  const gaps = fitNodes(p)
    .items.filter(({ refusal }) => !refusal)
    .slice(0, mostChecked)
    .flatMap(({ node }) => {
      const gap = driverGap(p, node);
      return gap === undefined ? [] : [{ name: node.metadata.name, gap }];
    });
  const isSeen = coverage === 'complete';
  const cordon =
    gaps.length === 0
      ? ''
      : ` Cordon ${nameAll(gaps.map(({ name }) => name))} first: ` +
        `${gaps[0]?.gap ?? ''}, so the pod would get stuck there. Uncordon it when that is repaired.`;
  return steps(
    `${text}${isSeen ? '' : ' The first line must print nothing.'}${cordon} pod/${p.pod.metadata.name} is then scheduled automatically.`,
    [
      ...(isSeen ? [] : [`kubectl get csistoragecapacities -A -l csi.storage.k8s.io/drivername=${shellWord(driver)}`]),
      ...gaps.map(({ name }) => `kubectl cordon ${shellWord(name)}`),
      command,
    ],
  );
}
