import type { WhatIfReport } from '../../core/report/what-if.ts';
import { objectName } from '../../terminal/verdict/nouns.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';

/** The objects that would break, one a line, as kubectl takes them. */
export function renderWhatIfNames(untrusted: WhatIfReport): string {
  const { effects } = sanitiseReport(untrusted);
  const names = effects
    .filter(({ severity }) => severity === 'breaks')
    .flatMap(({ objects }) => objects.map(objectName));
  return [...new Set(names)].map((name) => `${name}\n`).join('');
}
