import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { shellWord } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import { recreateClass } from '../lib/remake-class.ts';
import { steps } from '../lib/steps.ts';
import { listingOf } from '../lib/storage-behind.ts';
import { blamedParameter, spokenParameter } from './blamed-parameter.ts';
import type { NamedParameter } from './blamed-parameter.ts';
import { provisionerOf } from './provisioner.ts';
import { workingValue } from './working-class.ts';

/**
 * The class with another value of a parameter: that of a class that works, or one from a list, which the first command
 * prints.
 */
export function giveOtherValue(c: PresentClaim, parameter: NamedParameter, whose: string, when = ''): Fix {
  const { name } = parameter;
  const known = workingValue(c, name);
  if (known)
    return recreateClass(
      c,
      `with ${name}=${known.value}, as in StorageClass "${known.of}" of the same driver, whose volumes are bound${when}`,
      { parameters: { [name]: known.value } },
    );
  const listing = listingFor(c, parameter);
  const {
    text,
    commands = [],
    risk,
  } = recreateClass(
    c,
    `with a value of ${name} that ${whose}${when} (PLACEHOLDER_VALUE${listing === undefined ? '' : ': the first line lists what there is'})`,
    { parameters: { [name]: 'PLACEHOLDER_VALUE' } },
  );
  return steps(text, [...(listing === undefined ? [] : [listing]), ...commands], risk);
}

/** What the storage does not find is a value of the class: it is wrong, or missing on the storage side. */
export function giveBlamedValue(c: PresentClaim, error: { readonly text: string }): Fix[] {
  const blamed = blamedParameter(c, error);
  return blamed ? [giveOtherValue(c, blamed, 'the storage has', `, if "${blamed.value}" is wrong`)] : [];
}

/** The text has a value of the class: another one may do. */
export function giveSpokenValue(c: PresentClaim, error: { readonly text: string }): Fix[] {
  const spoken = spokenParameter(c, error);
  return spoken ? [giveOtherValue(c, spoken, 'the storage has', `, if "${spoken.value}" cannot be used`)] : [];
}

/** What exists there, as far as a command can list it. */
function listingFor(c: PresentClaim, { name, value }: NamedParameter): string | undefined {
  const listing = listingOf(provisionerOf(c)?.name, name);
  if (listing !== undefined) return listing;
  const server = c.storageClassObject?.parameters?.['server'] ?? /^\/\/([^/]+)\//.exec(value)?.[1];
  if (server === undefined) return undefined;
  if (/^(?:share|path|exportpath)$/i.test(name)) return `showmount -e ${shellWord(server)}`;
  return /^source$/i.test(name) ? `smbclient -L ${shellWord(server)} -U PLACEHOLDER_USER` : undefined;
}
