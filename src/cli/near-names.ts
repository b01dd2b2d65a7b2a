import { UserError } from '../core/kube/errors.ts';

/** The error for a name that does not exist: the names closest to it, if any, and what exists. */
export async function unknownName(
  noun: string,
  wanted: string,
  known: readonly string[],
  otherwise: string,
): Promise<UserError> {
  const { nearNames } = await import('../core/kube/names.ts');
  const near = nearNames(wanted, known);
  const next =
    near.length > 0 ? `Did you mean ${near.map((name) => `"${name}"`).join(' or ')}? ${otherwise}` : otherwise;
  return new UserError(`${noun} "${wanted}" does not exist`, next);
}
