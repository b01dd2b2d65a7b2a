import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Lookup } from '../../graph/inquiry.ts';
import type { ObjectOf } from '../../kube/kinds.ts';
import type { Confidence, Evidence, Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { failureEvidence } from './failure-evidence.ts';
import { isLeftOut } from './left-out.ts';
import { mountFailuresOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { podWords, toldVolume, volumeWords } from './told-volume.ts';

type Mode = 'Ephemeral' | 'Persistent';

/** Without a CSIDriver object that says otherwise, a driver serves persistent volumes only (kcsi csi_mounter.go, csi_plugin.go). */
export const mountInlineUnsupported = podRule({
  cause: 'mount-inline-unsupported',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const unsupported = findUnsupported(p);
    if (!unsupported) return undefined;
    const { use, driver, needed } = unsupported;
    return {
      confidence: confidenceIn(unsupported),
      about: driver,
      summary: `${volumeWords(use)} of ${podWords(p)} is ${needed === 'Ephemeral' ? 'an inline volume of' : 'a persistent volume of'} ${driver}, which is not supported: ${describeReason(unsupported)}`,
      evidence: evidenceOf(p, unsupported),
      fix: adviceFor(unsupported),
    };
  },
});

interface UnsupportedVolume {
  readonly use: VolumeUse;
  readonly driver: string;
  readonly needed: Mode;
  readonly object: Lookup<ObjectOf<'CSIDriver'>>;
  readonly failure: MountFailure | undefined;
}

function findUnsupported(p: PodCase): UnsupportedVolume | undefined {
  const failures = mountFailuresOf(p).filter(({ kind }) => kind === 'lifecycleMode');
  for (const use of volumeUsesOf(p)) {
    const { driver } = use;
    const needed = neededMode(use);
    if (driver === undefined || needed === undefined) continue;
    const failure = failures.find((candidate) => toldVolume(p, candidate) === use);
    const why = `whether ${driver} serves ${needed.toLowerCase()} volumes`;
    const object = p.ask.get('CSIDriver', undefined, driver, why);
    const unsupported = { use, driver, needed, object, failure };
    if (isRefused(p, unsupported)) return unsupported;
  }
  return undefined;
}

function neededMode(use: VolumeUse): Mode | undefined {
  if (use.isInline) return 'Ephemeral';
  return use.volumeObject?.spec?.csi ? 'Persistent' : undefined;
}

function isRefused(p: PodCase, { needed, object, failure }: UnsupportedVolume): boolean {
  if (object.state !== 'unknown') return !modesOf(object).includes(needed);
  // A dump without CSIDriver objects proves nothing about a persistent volume, which needs none.
  return failure !== undefined || (needed === 'Ephemeral' && isLeftOut(p, 'CSIDriver'));
}

function modesOf(object: UnsupportedVolume['object']): readonly string[] {
  return (object.state === 'found' ? object.object.spec?.volumeLifecycleModes : undefined) ?? ['Persistent'];
}

function confidenceIn({ object, failure }: UnsupportedVolume): Confidence {
  if (object.state !== 'unknown') return 'certain';
  return failure ? 'likely' : 'possible';
}

function hasNoObject({ object, failure }: UnsupportedVolume): boolean {
  return object.state !== 'found' || (failure !== undefined && /no CSIDriver object/.test(failure.text));
}

function describeReason(unsupported: UnsupportedVolume): string {
  const { driver, needed, object } = unsupported;
  if (hasNoObject(unsupported) && needed === 'Ephemeral')
    return `there is no CSIDriver object ${driver}, so the kubelet takes it as a driver for persistent volumes only`;
  return `${driver} serves ${modesOf(object).join(' and ').toLowerCase()} volumes only`;
}

function evidenceOf(p: PodCase, { use, driver, object, failure }: UnsupportedVolume): Explanation['evidence'] {
  return [
    use.isInline
      ? field(p.pod, `spec.volumes[${use.name}].csi.driver`, driver)
      : field(use.volumeObject ?? p.pod, 'spec.csi.driver', driver),
    ...driverEvidence(driver, object),
    ...failureEvidence(p, failure),
  ];
}

function driverEvidence(driver: string, object: UnsupportedVolume['object']): Evidence[] {
  switch (object.state) {
    case 'found':
      return [field(object.object, 'spec.volumeLifecycleModes', modesOf(object).join(', '))];
    case 'missing':
      return [absent('CSIDriver', driver)];
    case 'unknown':
      return [];
  }
}

function adviceFor(unsupported: UnsupportedVolume): Fix[] {
  const { driver, needed } = unsupported;
  const declareMode = hasNoObject(unsupported)
    ? fix(
        `apply the CSIDriver object of ${driver} again, from its own manifests: volumeLifecycleModes has to hold ${needed}`,
        'kubectl get csidriver',
      )
    : fix(
        `if the driver can do it, delete its CSIDriver object and make it again with ${needed} in volumeLifecycleModes: the field cannot be changed`,
        `kubectl get csidriver ${shellWord(driver)} -o yaml`,
        'disruptive',
      );
  const alternative =
    needed === 'Ephemeral'
      ? 'or use a claim, or a generic ephemeral volume (spec.volumes[].ephemeral), in its place'
      : 'or use an inline volume in the pod, or a class of another driver';
  return [declareMode, fix(alternative)];
}
