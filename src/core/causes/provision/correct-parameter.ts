import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { nearestName } from '../../kube/names.ts';
import type { Fix } from '../../report/report.ts';
import { recreateClass } from '../lib/remake-class.ts';
import type { NamedParameter } from './blamed-parameter.ts';
import { giveOtherValue } from './other-value.ts';
import type { ProvisionError } from './provision-error.ts';
import { neededFeatureText, unknownKeyTexts } from '../lib/driver-error/senses/request.ts';
import {
  expectedChoicesText,
  listedChoicesText,
  nextFieldText,
  oneOfChoicesText,
} from '../lib/driver-error/senses/choices.ts';

/** Parameters that the text names side by side, without a value of theirs: they do not go together. */
export function giveTogether(
  c: PresentClaim,
  { text }: ProvisionError,
  named: readonly NamedParameter[],
): Fix | undefined {
  if (named.length < 2 || named.length > 3 || unknownKeyTexts.test(text)) return undefined;
  if (!named.every(({ name, value }) => mentionsWord(text, name) && !mentionsWord(text, value))) return undefined;
  const blanks = named.map(({ name }) => [name, `PLACEHOLDER_${name.replace(/\W/g, '_').toUpperCase()}`] as const);
  return recreateClass(
    c,
    `with ${blanks.map(([name]) => name).join(' and ')} that go together, and with ` +
      `${c.request ?? 'the size of the claim'} (${blanks.map(([, blank]) => blank).join(', ')})`,
    { parameters: Object.fromEntries(blanks) },
  );
}

/** A name that the driver does not know goes; a value that it refuses is replaced. */
export function correctParameter(c: PresentClaim, { text }: ProvisionError, { name, value }: NamedParameter): Fix {
  const isNameRefused = unknownKeyTexts.test(text) && !mentionsWord(text, value) && mentionsWord(text, name);
  if (isNameRefused) return recreateClass(c, `without parameter ${name}`, { parameters: { [name]: null } });
  const needed = neededFeatureText.exec(text)?.[1];
  if (needed !== undefined && !value.split(',').includes(needed) && mentionsPart(text, value))
    return recreateClass(c, `with ${name}=${value},${needed}: the driver wants both`, {
      parameters: { [name]: `${value},${needed}` },
    });
  const choices = choicesIn(text).filter((choice) => choice.toLowerCase() !== value.toLowerCase());
  const near = nearestName(value, choices) ?? (choices.length === 1 ? choices[0] : undefined);
  if (near === undefined && choices.length === 0) return giveOtherValue(c, { name, value }, 'the driver accepts');
  const how =
    near === undefined
      ? `with a value of ${name} that the driver accepts (PLACEHOLDER_VALUE: it names ${choices.join(', ')})`
      : `with ${name}=${near}, which the driver names`;
  return recreateClass(c, how, { parameters: { [name]: near ?? 'PLACEHOLDER_VALUE' } });
}

function mentionsPart(text: string, value: string): boolean {
  return value.split(',').some((part) => part !== '' && mentionsWord(text, part.trim()));
}

export function mentionsWord(text: string, word: string): boolean {
  return text
    .toLowerCase()
    .split(/[^a-z0-9._/-]+/)
    .map((part) => part.replace(/^[./-]+|[./-]+$/g, ''))
    .includes(word.toLowerCase());
}

/** `must be one of gp2, gp3`, `supported values: [a b]`. */
export function choicesIn(text: string): string[] {
  const list =
    listedChoicesText.exec(text)?.[1] ?? expectedChoicesText.exec(text)?.[1] ?? oneOfChoicesText.exec(text)?.[1];
  return (
    (list ?? '')
      // The message of a JSON answer ends where its next field begins.
      .replace(nextFieldText, '')
      .split(/[\s,]+/)
      .map((word) => word.replace(/^["'.]+|["'.]+$/g, ''))
      .filter((word) => word !== '' && !/^(?:or|and|is|are|but|got)$/i.test(word))
  );
}
