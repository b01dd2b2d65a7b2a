import type { ClaimSpec } from '../../kube/kinds.ts';
import { compareQuantities, isQuantity } from '../../kube/quantity.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { nearestName } from '../../kube/names.ts';
import { claimText, sentence } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { confidenceOf, refusalEvidence, refusalRule, serverWords } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { absenceOf, remakeOwner } from './unmade-claim.ts';
import type { UnmadeClaim } from './unmade-claim.ts';

const knownAccessModes = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'];
const longestName = 253;

export interface Fault {
  readonly path: string;
  readonly value: string;
  readonly words: string;
  /** What would be accepted, by path; nothing where no single value suggests itself. */
  readonly change?: Readonly<Record<string, unknown>>;
}

/** The templates of a set are not validated as claims: a claim created from a bad one is refused each time. */
export const pvcCreateDeniedValidation = refusalRule('pvc-create-denied-validation', 'other', (c, unmade, refusal) => {
  if (unmade.owner.kind !== 'StatefulSet') return undefined;
  const fault = faultOf(c.name, unmade.spec);
  if (!fault && !refusal) return undefined;
  const why = fault?.words ?? `it reports "${serverWords(refusal?.text ?? '').trim()}"`;
  return {
    confidence: confidenceOf(fault !== undefined, refusal),
    about: `${c.namespace}/${unmade.label}/${unmade.template}`,
    summary: sentence(
      `${claimText(c)}, which ${unmade.label} needs, was never created: the API server refuses the claim template, since ${why}`,
    ),
    evidence: [absenceOf(c), ...(fault ? [faultEvidence(unmade, fault)] : []), ...refusalEvidence(refusal)],
    fix: [correct(c, unmade, fault, refusal)],
  };
});

function correct(c: ClaimCase, unmade: UnmadeClaim, fault: Fault | undefined, refusal: Refusal | undefined): Fix {
  if (fault?.path === 'metadata.name')
    return steps(
      `Give ${unmade.label} or its claim template "${unmade.template}" a shorter name, so that the claim's ` +
        `name ${c.name.slice(0, 20)}… has at most ${longestName} characters. ` +
        'Both are names that cannot be changed: create the set anew.',
      [],
    );
  if (fault?.change) {
    const [[path, value] = ['', '']] = Object.entries(fault.change);
    const text = Array.isArray(value) ? value.join(', ') : String(value);
    const words = text.startsWith('PLACEHOLDER') ? ` (${text} is what the application needs)` : '';
    return remakeOwner(unmade, `with ${path.split('.').at(-1) ?? path} ${text}${words}`, fault.change);
  }
  // field.Error begins with the path of the field.
  const path = /^spec\.([\w.]+): /.exec(serverWords(refusal?.text ?? '').trim())?.[1] ?? 'PLACEHOLDER_FIELD';
  return remakeOwner(unmade, `with a ${path} that the API server accepts (PLACEHOLDER_VALUE)`, {
    [`spec.${path}`]: 'PLACEHOLDER_VALUE',
  });
}

/** The checks of ValidatePersistentVolumeClaimSpec (pkg/apis/core/validation) that a template can fail. */
export function faultOf(name: string, spec: ClaimSpec | undefined): Fault | undefined {
  if (name.length > longestName)
    return { path: 'metadata.name', value: name, words: `the name is longer than ${longestName} characters` };
  return spec && (accessModesFault(spec) ?? sizeFault(spec) ?? volumeModeFault(spec));
}

function accessModesFault({ accessModes: modes = [] }: ClaimSpec): Fault | undefined {
  const path = 'spec.accessModes';
  const change = (mode: string): Fault['change'] => ({ 'spec.accessModes': [mode] });
  if (modes.length === 0)
    return { path, value: 'not set', words: 'it names no access mode', change: change('ReadWriteOnce') };
  const value = modes.join(', ');
  const unknown = modes.find((mode) => !knownAccessModes.includes(mode));
  if (unknown !== undefined) {
    const meant = nearestName(unknown, knownAccessModes) ?? 'PLACEHOLDER_MODE';
    return { path, value, words: `there is no access mode "${unknown}"`, change: change(meant) };
  }
  return modes.includes('ReadWriteOncePod') && modes.length > 1
    ? {
        path,
        value,
        words: 'ReadWriteOncePod allows no other access mode next to it',
        change: change('ReadWriteOncePod'),
      }
    : undefined;
}

function sizeFault({ resources }: ClaimSpec): Fault | undefined {
  const path = 'spec.resources.requests.storage';
  const change = { 'spec.resources.requests.storage': 'PLACEHOLDER_SIZE' };
  const request = resources?.requests?.['storage'];
  if (request === undefined) return { path, value: 'not set', words: 'it asks for no storage', change };
  return isQuantity(request) && compareQuantities(request, '0') <= 0
    ? { path, value: request, words: `the size ${request} is not greater than 0`, change }
    : undefined;
}

function volumeModeFault({ volumeMode: mode }: ClaimSpec): Fault | undefined {
  return mode === undefined || mode === 'Filesystem' || mode === 'Block'
    ? undefined
    : {
        path: 'spec.volumeMode',
        value: mode,
        words: `there is no volumeMode "${mode}"`,
        change: { 'spec.volumeMode': nearestName(mode, ['Filesystem', 'Block']) ?? 'Filesystem' },
      };
}

function faultEvidence({ owner, path }: UnmadeClaim, fault: Fault): Evidence {
  return field(owner, fault.path === 'metadata.name' ? fault.path : `${path}.${fault.path}`, fault.value);
}
