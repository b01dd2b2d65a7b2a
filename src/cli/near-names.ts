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
  const next = near.length > 0 ? `did you mean ${near.join(' or ')}? ${otherwise}` : otherwise;
  return new UserError(`there is no ${noun} "${wanted}"`, next);
}
