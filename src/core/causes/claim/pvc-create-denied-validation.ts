import { compareQuantities, isQuantity } from '../../kube/quantity.ts';
import type { ClaimSpec } from '../../kube/kinds.ts';
import { field } from '../../facts/evidence.ts';
import { absenceOf, refusalRule, remakeOwner, serverWords } from './refusal.ts';

const accessModes = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'];
const longestName = 253;

export interface Fault {
  readonly path: string;
  readonly value: string;
  readonly words: string;
}

/** The templates of a set are not validated as claims: a claim made of a bad one is refused each time. */
export const pvcCreateDeniedValidation = refusalRule('pvc-create-denied-validation', 'other', (c, unmade, refusal) => {
  if (unmade.owner.kind !== 'StatefulSet') return undefined;
  const fault = faultOf(c.name, unmade.spec);
  if (!fault && !refusal) return undefined;
  return {
    confidence: fault ? 'certain' : (refusal?.confidence ?? 'possible'),
    summary: `pvc/${c.name}, which ${unmade.label} needs, was never made: the API server refuses it (${fault?.words ?? serverWords(refusal?.text ?? '').trim()})`,
    evidence: [
      absenceOf(c),
      ...(fault
        ? [
            field(
              unmade.owner,
              fault.path === 'metadata.name' ? fault.path : `${unmade.path}.${fault.path}`,
              fault.value,
            ),
          ]
        : []),
      ...(refusal ? [refusal.evidence] : []),
    ],
    fix: [remakeOwner(unmade, 'correct the template')],
  };
});

/** The checks of ValidatePersistentVolumeClaimSpec (pkg/apis/core/validation) that a template can fail. */
export function faultOf(name: string, spec: ClaimSpec | undefined): Fault | undefined {
  if (name.length > longestName)
    return { path: 'metadata.name', value: name, words: `its name is longer than ${longestName} characters` };
  if (!spec) return undefined;
  const modes = spec.accessModes ?? [];
  const at = (path: string, value: string, words: string): Fault => ({ path: `spec.${path}`, value, words });
  if (modes.length === 0) return at('accessModes', 'not set', 'at least one access mode is needed');
  const odd = modes.find((mode) => !accessModes.includes(mode));
  if (odd !== undefined) return at('accessModes', modes.join(', '), `${odd} is no access mode`);
  if (modes.includes('ReadWriteOncePod') && modes.length > 1)
    return at('accessModes', modes.join(', '), 'ReadWriteOncePod allows no other access mode beside it');
  const request = spec.resources?.requests?.['storage'];
  if (request === undefined) return at('resources.requests.storage', 'not set', 'it asks for no storage');
  if (isQuantity(request) && compareQuantities(request, '0') <= 0)
    return at('resources.requests.storage', request, 'the size must be greater than nought');
  if (spec.volumeMode !== undefined && spec.volumeMode !== 'Filesystem' && spec.volumeMode !== 'Block')
    return at('volumeMode', spec.volumeMode, `${spec.volumeMode} is no volume mode`);
  return undefined;
}
