import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Fix } from '../../report/report.ts';
import { classChange, recreateClaim } from '../lib/remake-claim.ts';
import { isForSidecar } from './blamed-parameter.ts';
import { otherClasses } from './other-class.ts';

/** Another class of the same driver with bound volumes: what it does differently is where the fault is. */
interface WorkingClass {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Names of the parameters that differ. */
  readonly differs: readonly string[];
}

function workingClass(c: PresentClaim): WorkingClass | undefined {
  return c.once(findWorkingClass);
}

function findWorkingClass(c: PresentClaim): WorkingClass | undefined {
  const own = c.storageClassObject;
  if (!own) return undefined;
  const working = new Set(
    otherClasses(c, ({ provisioner }) => provisioner === own.provisioner)
      .filter(({ bound }) => bound > 0)
      .map(({ name }) => name),
  );
  const [nearest] = c.ask
    .seen('StorageClass')
    .filter(({ metadata }) => working.has(metadata.name))
    .map(({ metadata: { name }, parameters = {} }) => ({
      name,
      parameters,
      differs: differences(own.parameters ?? {}, parameters),
    }))
    .sort((a, b) => a.differs.length - b.differs.length || (a.name < b.name ? -1 : 1));
  return nearest;
}

function differences(
  own: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): readonly string[] {
  return [...new Set([...Object.keys(own), ...Object.keys(other)])].filter((name) => own[name] !== other[name]).sort();
}

/** The value that the working class has for a parameter, if it has another one. */
export function workingValue(
  c: PresentClaim,
  name: string,
): { readonly value: string; readonly of: string } | undefined {
  const working = workingClass(c);
  const value = working?.parameters[name];
  return working && value !== undefined && value !== c.storageClassObject?.parameters?.[name]
    ? { value, of: working.name }
    : undefined;
}

const mostNamed = 3;

/** The claim in that class, with what the class does differently. */
export function useWorkingClass(c: PresentClaim): Fix[] {
  const working = workingClass(c);
  if (!working) return [];
  const own = c.storageClassObject?.parameters ?? {};
  const named = working.differs
    .filter((name) => !isForSidecar(name))
    .slice(0, mostNamed)
    .map((name) => `${name} is ${working.parameters[name] ?? 'not set'} there and ${own[name] ?? 'not set'} here`);
  const difference = named.length === 0 ? '' : ` (${named.join('; ')})`;
  return [
    recreateClaim(
      c,
      `with StorageClass "${working.name}" of the same driver, whose volumes are bound, if it will do${difference}`,
      classChange(c, working.name),
    ),
  ];
}
