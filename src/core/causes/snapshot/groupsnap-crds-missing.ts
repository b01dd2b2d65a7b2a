import { field, shellWord } from '../../facts/evidence.ts';
import { imageVersion } from '../../facts/driver/driver-version.ts';
import { controllerContainerOf, deploymentsNearController } from '../../facts/snapshot/snapshot-controller.ts';
import { atLeast, parseServerVersion } from '../../kube/version.ts';
import { steps } from '../lib/steps.ts';
import { ruleForGroup } from './group-snapshot.ts';

const definition = 'volumegroupsnapshots.groupsnapshot.storage.k8s.io';

/**
 * A snapshot controller that is newer than 8.6 works with groupsnapshot.storage.k8s.io/v1, which older CRDs do not
 * serve.
 */
export const groupsnapCrdsMissing = ruleForGroup('groupsnap-crds-missing', ({ object: group, ask }) => {
  if (group.status?.readyToUse !== undefined || (group.metadata.finalizers ?? []).length > 0) return undefined;
  const deployment = deploymentsNearController(ask).find(({ spec }) => controllerContainerOf(spec?.template?.spec));
  const container = controllerContainerOf(deployment?.spec?.template?.spec);
  const image = container?.image;
  if (!deployment || atLeast(parseServerVersion(imageVersion(image)), 8, 7) !== true) return undefined;
  const lookup = ask.get(
    'CustomResourceDefinition',
    undefined,
    definition,
    'in which versions group snapshots are served',
  );
  if (lookup.state !== 'found') return undefined;
  const versions = lookup.object.spec?.versions ?? [];
  if (versions.length === 0 || versions.some(({ name, served }) => name === 'v1' && served !== false)) return undefined;
  const served = versions.filter(({ served: isServed }) => isServed !== false).map(({ name }) => name ?? '');
  return {
    about: definition,
    summary:
      `The cluster serves group snapshots as ${served.join(', ') || 'no version'}, and the snapshot controller ` +
      `(${image ?? ''}) needs groupsnapshot.storage.k8s.io/v1. No group snapshot is taken.`,
    evidence: [
      field(lookup.object, 'spec.versions', served.join(', ') || 'none served'),
      field(deployment, `spec.template.spec.containers[${container?.name ?? ''}].image`, image),
    ],
    fix: [
      steps(
        'Install the CRDs of the release of the snapshot controller (PLACEHOLDER_RELEASE is its tag). ' +
          'Existing groups are kept. Then restart the controller.',
        [
          `kubectl apply -k 'https://github.com/kubernetes-csi/external-snapshotter/client/config/crd?ref=PLACEHOLDER_RELEASE'`,
          `kubectl -n ${shellWord(deployment.metadata.namespace ?? 'PLACEHOLDER_NAMESPACE')} rollout restart ` +
            `deployment/${shellWord(deployment.metadata.name)}`,
        ],
        'disruptive',
      ),
    ],
  };
});
