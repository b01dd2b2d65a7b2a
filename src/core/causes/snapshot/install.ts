import type { Fix } from '../../report/report.ts';
import { steps } from '../lib/steps.ts';

/** The release of external-snapshotter whose manifests are installed. */
export const snapshotterVersion = 'v8.6.0';

const source = 'https://github.com/kubernetes-csi/external-snapshotter';
const controllerCommand = `kubectl apply -k '${source}/deploy/kubernetes/snapshot-controller?ref=${snapshotterVersion}'`;

/** setup-snapshot-controller.yaml names namespace kube-system. */
export const installController: Fix = steps(
  'Install the snapshot controller: a cluster needs one, and no driver brings it. ' +
    'Where a provider or distribution offers it as an add-on, switch that on instead. ' +
    'What waits for it then continues automatically.',
  [controllerCommand],
);

export const installApi: Fix = steps(
  'Install the CRDs of external-snapshotter, then the snapshot controller, which exits without them. ' +
    'Where a provider or distribution offers snapshots as an add-on, switch that on instead. ' +
    'Waiting snapshots are then taken automatically.',
  [`kubectl apply -k '${source}/client/config/crd?ref=${snapshotterVersion}'`, controllerCommand],
);
