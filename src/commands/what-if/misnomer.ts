import { UserError } from '../../core/kube/errors.ts';
import type { WhatIfAnswer } from './answer.ts';

/** The error for the first name that does not exist. */
export function misnomerError([first]: WhatIfAnswer['misnomers']): UserError {
  const { noun = '', wanted = '', near = [], hint = '' } = first ?? {};
  const meant = near.map((name) => `"${name}"`).join(' or ');
  return new UserError(`${noun} "${wanted}" does not exist`, meant === '' ? hint : `Did you mean ${meant}? ${hint}`);
}
