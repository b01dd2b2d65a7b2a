import type { StorageClass } from '../../kube/kinds.ts';
import type { Confidence, Fix } from '../../report/report.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { findDriver } from '../../facts/driver/drivers.ts';
import { absent, field, fix, note } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { controllerOf, hasSpokenLately, provisionerOf, waitedSeconds, waitsForExternal } from './provisioner.ts';
import type { Provisioner } from './provisioner.ts';

const silenceSeconds = 120;
const mostShown = 3;

/** csi-translation-lib: the in-tree name still works, but only as another name of the CSI driver. */
export const provisionerMigratedDriverMissing = claimRule({
  cause: 'provisioner-migrated-driver-missing',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = provisionerOf(c);
    const storageClass = c.storageClassObject;
    if (!provisioner?.inTree || !storageClass) return undefined;
    const traces = tracesOf(c, provisioner);
    if (traces === 'found') return undefined;
    const said = waitsForExternal(c);
    if (traces === 'unread' && (!said || waitedSeconds(c) < silenceSeconds)) return undefined;
    if (isControllerThere(c, provisioner)) return undefined;
    const state = traces === 'unread' ? 'may not be installed' : 'is not installed';
    return {
      confidence: confidenceOf(c, provisioner, traces),
      about: provisioner.name,
      summary:
        `StorageClass "${storageClass.metadata.name}" names the in-tree ${provisioner.inTree}, which this ` +
        `Kubernetes version hands to CSI driver ${provisioner.name}, and that driver ${state}.`,
      evidence: evidenceOf(c, provisioner, storageClass, said),
      fix: [installDriver(provisioner.name)],
    };
  },
});

/** How the projects themselves say that their drivers are installed. */
const charts: Readonly<Record<string, string>> = {
  'ebs.csi.aws.com':
    'helm upgrade --install aws-ebs-csi-driver aws-ebs-csi-driver --repo ' +
    'https://kubernetes-sigs.github.io/aws-ebs-csi-driver --namespace kube-system',
  'disk.csi.azure.com':
    'helm upgrade --install azuredisk-csi-driver azuredisk-csi-driver --repo ' +
    'https://raw.githubusercontent.com/kubernetes-sigs/azuredisk-csi-driver/master/charts ' +
    '--namespace kube-system',
  'file.csi.azure.com':
    'helm upgrade --install azurefile-csi-driver azurefile-csi-driver --repo ' +
    'https://raw.githubusercontent.com/kubernetes-sigs/azurefile-csi-driver/master/charts ' +
    '--namespace kube-system',
  'cinder.csi.openstack.org':
    'helm upgrade --install cinder-csi openstack-cinder-csi --repo ' +
    'https://kubernetes.github.io/cloud-provider-openstack --namespace kube-system',
};

function installDriver(name: string): Fix {
  const managed = charts[name] === undefined ? '' : ' On a managed cluster, use the add-on of the provider instead.';
  return fix(
    `Install CSI driver ${name}, with the role or credentials it needs.${managed} The claim is then provisioned automatically.`,
    charts[name],
  );
}

/** Whether the cluster has the driver: a CSIDriver object, or a node that registered it. */
function tracesOf(c: PresentClaim, { name }: Provisioner): 'found' | 'missing' | 'unread' {
  const traces = findDriver(c.ask, name);
  if (traces.object.state === 'found' || traces.nodes.items.length > 0) return 'found';
  return traces.object.state === 'missing' || traces.nodes.complete ? 'missing' : 'unread';
}

function isControllerThere(c: PresentClaim, provisioner: Provisioner): boolean {
  const { lease, pods } = controllerOf(c, provisioner);
  return lease.state === 'fresh' || pods.items.length > 0 || hasSpokenLately(c);
}

function confidenceOf(c: PresentClaim, { name }: Provisioner, traces: 'missing' | 'unread'): Confidence {
  if (traces === 'unread') return 'possible';
  const { object, nodes } = findDriver(c.ask, name);
  return object.state === 'missing' && nodes.complete ? 'certain' : 'likely';
}

function evidenceOf(
  c: PresentClaim,
  { name }: Provisioner,
  storageClass: StorageClass,
  said: EventMatch | undefined,
): Explanation['evidence'] {
  const isMissing = findDriver(c.ask, name).object.state === 'missing';
  const nodes = c.ask.seen('CSINode').slice(0, mostShown);
  return [
    field(storageClass, 'provisioner'),
    ...(isMissing ? [absent('CSIDriver', name)] : []),
    ...nodes.map((node) => {
      const drivers = (node.spec?.drivers ?? []).map((driver) => driver.name).join(', ');
      return note(node, `lists ${drivers || 'no driver'}`);
    }),
    ...saidOnClaim(c, said),
  ];
}
