import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, note } from '../../facts/evidence.ts';
import { answerRule, tellWords } from './driver-answer.ts';
import { classText, otherClasses } from './other-class.ts';
import { classChange, recreateClaim } from '../lib/remake-claim.ts';
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

/** "Volume capabilities not supported" alone may also mean that the driver creates no block volumes at all. */
function mayMeanBlock(c: PresentClaim, error: ProvisionError): boolean {
  return isBlock(c) && !modeWords.test(error.text);
}

function summaryOf(c: PresentClaim, error: ProvisionError, driver: string): string {
  const supported = supportedModes(volumesOf(c, driver));
  const volumes = mayMeanBlock(c, error)
    ? 'or raw block volumes'
    : `for ${isBlock(c) ? 'block' : 'file system'} volumes`;
  const others = supported.length > 0 ? ` Its existing volumes have ${supported.join(', ')}.` : '';
  return `${tellWords(`${driver} does not support access mode ${modesOf(c).join(', ') || 'of the claim'} ${volumes}`, error)}${others}`;
}

function exampleEvidence(volumes: readonly Volume[], driver: string): Evidence[] {
  const example = volumes.find(({ spec }) => (spec?.accessModes ?? []).length > 0);
  return example ? [note(example, `a volume of ${driver} with ${(example.spec?.accessModes ?? []).join(', ')}`)] : [];
}

/**
 * A class whose driver has volumes with the wanted mode keeps what the application asked for; otherwise the mode gives
 * way.
 */
function advise(c: PresentClaim, error: ProvisionError, volumes: readonly Volume[]): Fix[] {
  const wanted = modesOf(c);
  const able = new Set(
    c.ask
      .seen('PersistentVolume')
      .filter(({ spec }) => wanted.every((mode) => spec?.accessModes?.includes(mode)))
      .map(({ spec }) => spec?.csi?.driver),
  );
  const [other] = otherClasses(c, ({ provisioner }) => able.has(provisioner));
  const mode = supportedModes(volumes)[0] ?? 'ReadWriteOnce';
  const single = recreateClaim(
    c,
    `with access mode ${mode}${mode === 'ReadWriteOnce' ? ', if all its pods can run on one node' : ''}`,
    { spec: { accessModes: [mode] } },
  );
  const file = recreateClaim(
    c,
    other
      ? `with ${classText(other)}, whose driver has volumes with ${wanted.join(', ')}`
      : `with a StorageClass whose driver supports ${wanted.join(', ')} ` +
          `(PLACEHOLDER_CLASS)${wanted.includes('ReadWriteMany') ? ', such as a file share' : ''}`,
    classChange(c, other?.name ?? 'PLACEHOLDER_CLASS'),
  );
  const filesystem = mayMeanBlock(c, error)
    ? [recreateClaim(c, 'with volumeMode Filesystem', { spec: { volumeMode: 'Filesystem' } })]
    : [];
  return other ? [file, single, ...filesystem] : [...filesystem, single, file];
}
