import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { thingsOfParameters } from '../lib/driver-error/senses/choices.ts';

export interface NamedParameter {
  readonly name: string;
  readonly value: string;
}

/** Parameters of the class whose name or value the error mentions. */
export function namedParameters(c: PresentClaim, { text }: { readonly text: string }): NamedParameter[] {
  // "for storage class gold" names the class, not a parameter with the same value.
  const said = text.replace(/\bstorage ?class:? ["']?[a-z0-9.-]+/gi, '').toLowerCase();
  const words = new Set(
    said
      .split(/[^a-z0-9._/-]+/)
      // A link to a resource ends with its name: `diskTypes/pd-extreme`.
      .flatMap((word) => [word, ...(word.includes('/') ? [word.slice(word.lastIndexOf('/') + 1)] : [])])
      .map(bare),
  );
  return parametersOf(c).filter(
    ({ name, value }) =>
      words.has(name.toLowerCase()) ||
      isSpokenWithName(said, name, value) ||
      (isTelling(value) &&
        (words.has(bare(value.toLowerCase())) ||
          holdsPhrase(said, value.toLowerCase()) ||
          value
            .toLowerCase()
            .split(/[:,;]/)
            .some((part) => isOwnName(part) && words.has(part)))),
  );
}

/** A number or a flag means the parameter only next to a word of its name: `band 7` of qosBand. */
function isSpokenWithName(said: string, name: string, value: string): boolean {
  const last =
    name
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^a-z]+/)
      .at(-1) ?? '';
  if (last.length < 3 || !/^[\w.-]+$/.test(value)) return false;
  return new RegExp(`\\b${last}s?\\W{1,3}${value.toLowerCase().replace(/[.]/g, '\\.')}(?![\\w.])`).test(said);
}

function bare(word: string): string {
  return word.replace(/^[./-]+|[./-]+$/g, '');
}

const shortestPhrase = 4;

/**
 * A value of several words, or of a server and a path, as a whole: `Gold Policy`, `//files/share`, `10.0.0.1:/export`.
 */
function holdsPhrase(said: string, value: string): boolean {
  if (value.length < shortestPhrase || !/[^a-z0-9._-]/.test(value)) return false;
  const at = said.indexOf(value);
  return at >= 0 && !/[a-z0-9_-]/.test(`${said[at - 1] ?? ''}${said[at + value.length] ?? ''}`);
}

/** One entry of a list such as `backend1:aggr2`, if it can hardly be there by chance. */
function isOwnName(part: string): boolean {
  return part.length > 3 && /\d|-|_/.test(part) && !/^[\d.]+$/.test(part);
}

/** A flag or a small number appears in many errors by chance. */
function isTelling(value: string): boolean {
  return value.length > 1 && !/^(?:true|false|\d{1,2})$/i.test(value);
}

function parametersOf(c: PresentClaim): NamedParameter[] {
  return Object.entries(c.storageClassObject?.parameters ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({ name, value }));
}

/** The words of a name: texts write `fileSystemId` as "file system". */
function spokenName(name: string): string | undefined {
  const words = name
    .slice(name.lastIndexOf('/') + 1)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word, index, all) => index < all.length - 1 || !/^(?:id|name)?$/.test(word));
  return words.length < 2 ? undefined : words.join(' ');
}

/**
 * The one parameter of the class that names the thing that the text mentions, if the text does not contain its value.
 */
export function meantParameter(c: PresentClaim, { text }: { readonly text: string }): NamedParameter | undefined {
  const said = ` ${text.toLowerCase().replace(/[^a-z]+/g, ' ')} `;
  const [spoken, ...more] = parametersOf(c).filter(({ name }) => {
    const words = isForSidecar(name) ? undefined : spokenName(name);
    return words !== undefined && said.includes(` ${words} `);
  });
  if (spoken) return more.length === 0 ? spoken : undefined;
  for (const [thing, called] of thingsOfParameters) {
    if (!thing.test(text)) continue;
    const [first, ...others] = parametersOf(c).filter(
      ({ name }) =>
        called.test(name.slice(name.lastIndexOf('/') + 1)) && !isForSidecar(name) && !/fs_?type$/i.test(name),
    );
    if (first && others.length === 0) return first;
  }
  return undefined;
}

/** Where the storage is, as opposed to what is wanted there. */
const places = /^(?:server|host|dsm|endpoint|clusterid|\w*address|(?:\w+\/)?fs_?type|protocol)$/i;

/** The one parameter that the text is about: a value that it contains, else the thing that it mentions. */
export function blamedParameter(c: PresentClaim, error: { readonly text: string }): NamedParameter | undefined {
  const named = namedParameters(c, error).filter(({ name }) => !isForSidecar(name));
  const [first, ...others] = named.length > 1 ? named.filter(({ name }) => !places.test(name)) : named;
  if (first) return others.length === 0 ? first : undefined;
  return named.length === 0 ? meantParameter(c, error) : undefined;
}

/** The same, only where the text has the value itself, or one entry of it. */
export function spokenParameter(c: PresentClaim, error: { readonly text: string }): NamedParameter | undefined {
  const blamed = blamedParameter(c, error);
  return blamed && spokenEntry(blamed, error.text) !== undefined ? blamed : undefined;
}

/** The value as the text has it: of a list such as `backend1:aggr2`, the last entry that it names. */
export function spokenEntry({ value }: NamedParameter, text: string): string | undefined {
  const said = text.toLowerCase();
  if (said.includes(value.toLowerCase())) return value;
  return value.split(/[:,;](?!\/)/).findLast((entry) => entry !== '' && said.includes(entry.toLowerCase()));
}

const copiesParameter =
  /^(?:repl|repl_?factor|replicas?|replica_?count|numberofreplicas|number_?of_?replicas|autoplace|placementcount|pgnum)$/i;

/** How many copies of the volume the class asks for: on so many nodes or pools there must be room. */
export function copiesOf(c: PresentClaim): NamedParameter | undefined {
  return parametersOf(c).find(
    ({ name, value }) => copiesParameter.test(name.slice(name.lastIndexOf('/') + 1)) && /^\d{1,2}$/.test(value),
  );
}

/** Read by the sidecars: they name secrets and file systems, and no thing of the storage. */
export function isForSidecar(name: string): boolean {
  return name.startsWith('csi.storage.k8s.io/');
}
