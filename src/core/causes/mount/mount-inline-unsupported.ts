import { absent, eventSaid, field, fix, shellWord } from '../../facts/evidence.ts';
import { podRule } from '../lib/rule.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import { isLeftOut } from './left-out.ts';
import { mountFailuresOf } from './mount-failure.ts';
import { podWords, toldVolume, volumeWords } from './told-volume.ts';

type Mode = 'Ephemeral' | 'Persistent';

/** What a driver is for is told by its object alone; without one it serves persistent volumes only (kcsi csi_mounter.go, csi_plugin.go). */
export const mountInlineUnsupported = podRule({
  cause: 'mount-inline-unsupported',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failures = mountFailuresOf(p).filter(({ kind }) => kind === 'lifecycleMode');
    for (const use of volumeUsesOf(p)) {
      const { driver } = use;
      const needed: Mode | undefined = use.isInline
        ? 'Ephemeral'
        : use.volumeObject?.spec?.csi
          ? 'Persistent'
          : undefined;
      if (driver === undefined || needed === undefined) continue;
      const failure = failures.find((candidate) => toldVolume(p, candidate) === use);
      const object = p.ask.get(
        'CSIDriver',
        undefined,
        driver,
        `whether ${driver} serves ${needed.toLowerCase()} volumes`,
      );
      const modes =
        object.state === 'found' ? (object.object.spec?.volumeLifecycleModes ?? ['Persistent']) : ['Persistent'];
      if (object.state !== 'unknown' ? modes.includes(needed) : !failure && !isLeftOut(p, 'CSIDriver')) continue;
      // A dump without driver objects proves nothing about a volume that needs none.
      if (object.state === 'unknown' && !failure && needed === 'Persistent') continue;
      const isAbsent =
        object.state === 'missing' ||
        (failure !== undefined && /no CSIDriver object/.test(failure.text)) ||
        object.state === 'unknown';
      const why =
        isAbsent && needed === 'Ephemeral'
          ? `there is no CSIDriver object ${driver}, so the kubelet takes it as a driver for persistent volumes only`
          : `${driver} serves ${modes.join(' and ').toLowerCase()} volumes only`;
      return {
        confidence: object.state !== 'unknown' ? 'certain' : failure ? 'likely' : 'possible',
        about: driver,
        summary: `${volumeWords(use)} of ${podWords(p)} is ${needed === 'Ephemeral' ? 'an inline volume of' : 'a persistent volume of'} ${driver}, which is not supported: ${why}`,
        evidence: [
          use.isInline
            ? field(p.pod, `spec.volumes[${use.name}].csi.driver`, driver)
            : field(use.volumeObject ?? p.pod, 'spec.csi.driver', driver),
          ...(object.state === 'found'
            ? [field(object.object, 'spec.volumeLifecycleModes', modes.join(', '))]
            : object.state === 'missing'
              ? [absent('CSIDriver', driver)]
              : []),
          ...(failure ? [eventSaid(p.pod, failure.event)] : []),
        ],
        fix: [
          isAbsent
            ? fix(
                `apply the CSIDriver object of ${driver} again, from its own manifests: volumeLifecycleModes has to hold ${needed}`,
                'kubectl get csidriver',
              )
            : fix(
                `if the driver can do it, delete its CSIDriver object and make it again with ${needed} in volumeLifecycleModes: the field cannot be changed`,
                `kubectl get csidriver ${shellWord(driver)} -o yaml`,
                'disruptive',
              ),
          fix(
            needed === 'Ephemeral'
              ? 'or use a claim, or a generic ephemeral volume (spec.volumes[].ephemeral), in its place'
              : 'or use an inline volume in the pod, or a class of another driver',
          ),
        ],
      };
    }
    return undefined;
  },
});
