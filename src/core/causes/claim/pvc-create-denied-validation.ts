import type { ClaimSpec } from '../../kube/kinds.ts';
import { compareQuantities, isQuantity } from '../../kube/quantity.ts';
import type { Evidence } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { confidenceOf, refusalEvidence, refusalRule, serverWords } from './refusal.ts';
import { absenceOf, remakeOwner } from './unmade-claim.ts';
import type { UnmadeClaim } from './unmade-claim.ts';

const knownAccessModes = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'];
const longestName = 253;

export interface Fault {
  readonly path: string;
  readonly value: string;
  readonly words: string;
}

/** The templates of a set are not validated as claims: a claim created from a bad one is refused each time. */
export const pvcCreateDeniedValidation = refusalRule('pvc-create-denied-validation', 'other', (c, unmade, refusal) => {
  if (unmade.owner.kind !== 'StatefulSet') return undefined;
  const fault = faultOf(c.name, unmade.spec);
  if (!fault && !refusal) return undefined;
  const why = fault?.words ?? serverWords(refusal?.text ?? '').trim();
  return {
    confidence: confidenceOf(fault !== undefined, refusal),
    summary: `pvc/${c.name}, which ${unmade.label} needs, was never made: the API server refuses it (${why})`,
    evidence: [absenceOf(c), ...(fault ? [faultEvidence(unmade, fault)] : []), ...refusalEvidence(refusal)],
    fix: [remakeOwner(unmade, 'correct the template')],
  };
});

/** The checks of ValidatePersistentVolumeClaimSpec (pkg/apis/core/validation) that a template can fail. */
export function faultOf(name: string, spec: ClaimSpec | undefined): Fault | undefined {
  if (name.length > longestName)
    return { path: 'metadata.name', value: name, words: `its name is longer than ${longestName} characters` };
  return spec && (accessModesFault(spec) ?? sizeFault(spec) ?? volumeModeFault(spec));
}

function accessModesFault({ accessModes: modes = [] }: ClaimSpec): Fault | undefined {
  const path = 'spec.accessModes';
  if (modes.length === 0) return { path, value: 'not set', words: 'at least one access mode is needed' };
  const value = modes.join(', ');
  const unknown = modes.find((mode) => !knownAccessModes.includes(mode));
  if (unknown !== undefined) return { path, value, words: `${unknown} is no access mode` };
  return modes.includes('ReadWriteOncePod') && modes.length > 1
    ? { path, value, words: 'ReadWriteOncePod allows no other access mode beside it' }
    : undefined;
}

function sizeFault({ resources }: ClaimSpec): Fault | undefined {
  const path = 'spec.resources.requests.storage';
  const request = resources?.requests?.['storage'];
  if (request === undefined) return { path, value: 'not set', words: 'it asks for no storage' };
  return isQuantity(request) && compareQuantities(request, '0') <= 0
    ? { path, value: request, words: 'the size must be greater than nought' }
    : undefined;
}

function volumeModeFault({ volumeMode: mode }: ClaimSpec): Fault | undefined {
  return mode === undefined || mode === 'Filesystem' || mode === 'Block'
    ? undefined
    : { path: 'spec.volumeMode', value: mode, words: `${mode} is no volume mode` };
}

function faultEvidence({ owner, path }: UnmadeClaim, fault: Fault): Evidence {
  return field(owner, fault.path === 'metadata.name' ? fault.path : `${path}.${fault.path}`, fault.value);
}
