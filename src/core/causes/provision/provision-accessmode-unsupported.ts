import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, note } from '../../facts/evidence.ts';
import { answerRule } from './driver-answer.ts';
import { remakeClaim } from './remake-claim.ts';
import type { ProvisionError } from './provision-error.ts';
import { modeWords } from '../lib/driver-error/senses/request.ts';

/** CSI spec, CreateVolume: the driver does not support the access mode for this kind of volume. */
export const provisionAccessmodeUnsupported = answerRule(
  'provision-accessmode-unsupported',
  'accessMode',
  (c, error, driver) => {
    const volumes = volumesOf(c, driver);
    return {
      about: `${c.class.name}/${[...modesOf(c)].sort().join()}`,
      summary: summaryOf(c, error, driver),
      evidence: [
        field(c.claim, 'spec.accessModes'),
        field(c.claim, 'spec.volumeMode'),
        ...exampleEvidence(volumes, driver),
      ],
      fix: advise(c, error, volumes),
    };
  },
);

function modesOf(c: PresentClaim): readonly string[] {
  return c.claim.spec?.accessModes ?? [];
}

function volumesOf(c: PresentClaim, driver: string): readonly Volume[] {
  return c.ask.seen('PersistentVolume').filter(({ spec }) => spec?.csi?.driver === driver);
}

/** The modes that the driver is known to support, from the volumes it has. */
function supportedModes(volumes: readonly Volume[]): string[] {
  return [...new Set(volumes.flatMap(({ spec }) => spec?.accessModes ?? []))].sort();
}

function isBlock(c: PresentClaim): boolean {
  return c.claim.spec?.volumeMode === 'Block';
}

/** "Volume capabilities not supported" alone may also mean that the driver makes no block volumes at all. */
function mayMeanBlock(c: PresentClaim, error: ProvisionError): boolean {
  return isBlock(c) && !modeWords.test(error.text);
}

function summaryOf(c: PresentClaim, error: ProvisionError, driver: string): string {
  const supported = supportedModes(volumesOf(c, driver));
  const volumes = mayMeanBlock(c, error)
    ? 'or makes no raw block volumes'
    : `for ${isBlock(c) ? 'block' : 'file system'} volumes`;
  const others = supported.length > 0 ? `; its other volumes have ${supported.join(', ')}` : '';
  return `${driver} does not take access mode ${modesOf(c).join(', ') || 'of the claim'} ${volumes}${others}`;
}

function exampleEvidence(volumes: readonly Volume[], driver: string): Evidence[] {
  const example = volumes.find(({ spec }) => (spec?.accessModes ?? []).length > 0);
  return example ? [note(example, `a volume of ${driver} with ${(example.spec?.accessModes ?? []).join(', ')}`)] : [];
}

function advise(c: PresentClaim, error: ProvisionError, volumes: readonly Volume[]): Fix[] {
  const modes = supportedModes(volumes).join(' or ') || 'ReadWriteOnce';
  const filesystem = mayMeanBlock(c, error) ? ', or with volumeMode: Filesystem' : '';
  return [
    remakeClaim(c, `with ${modes}${filesystem}`),
    fix('or look for a class whose driver shares volumes between nodes (a file share)', 'kubectl get storageclass'),
  ];
}
