import { provisionedByAnnotation } from '../../facts/claim/claim-annotations.ts';
import { fieldsNamedIn } from '../lib/named-fields.ts';
import type { NamedField } from '../lib/named-fields.ts';
import { storageViewOf, viewCommands, viewWords } from '../lib/storage-view.ts';
import { mountSenseOf, ownWords } from '../lib/driver-error/node-sense.ts';
import { isOpaque } from '../lib/driver-error/quote.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';
import { steps } from '../lib/steps.ts';
import type { Fix } from '../../report/report.ts';
import { isSaidByKubelet, retryWords, storageName } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { compareWords } from './neighbours.ts';
import { readPluginLog } from './plugin-fixes.ts';
import { nodeOf } from './told-volume.ts';

/**
 * For words that no rule knows: the team to ask, what the words repeat of the volume, what to compare, and the log
 * around them.
 */
export function unnamedFixes(m: FailedMount): Fix[] {
  const { p, driver, text } = m;
  const hints = `${fieldWords(m)}${compareWords(m)}`;
  if (driver === undefined || isOpaque(ownWords(text)) || isSaidByKubelet(text) || mountSenseOf(text) !== undefined)
    return [
      readPluginLog(
        p.ask,
        driver,
        nodeOf(p),
        `Read what ${driver ?? 'the driver'} logged on ${nodeOf(p)} when it failed, and correct what it names.${hints} ${retryWords}`,
      ),
      ...(driver === undefined || isSaidByKubelet(text) ? [] : [askFix(m)]),
    ];
  const view = storageViewOf(driver, m.use?.volumeObject);
  return [
    steps(
      `Ask ${view.team}, with the quoted words, why ${nodeOf(p)} cannot mount ${storageName(m)}, and correct ` +
        `what they name.${hints}${viewWords(view)} ${retryWords}`,
      viewCommands(view),
    ),
    readPluginLog(
      p.ask,
      driver,
      nodeOf(p),
      `Read what ${driver} logged on ${nodeOf(p)} around the error: what it tried before, and with which values.`,
    ),
  ];
}

/** The values of the volume that the error repeats, in the words that follow its introduction. */
export function namedFields({ use, text }: FailedMount): NamedField[] {
  const volume = use?.volumeObject;
  return volume ? fieldsNamedIn(parseDriverError(text).words, volume) : [];
}

function fieldWords(m: FailedMount): string {
  const { metadata } = m.use?.volumeObject ?? {};
  // A provisioner does not write wrong ids.
  const isProvisioned = metadata?.annotations?.[provisionedByAnnotation] !== undefined;
  const first = namedFields(m).find(({ path }) => !(isProvisioned && path === 'spec.csi.volumeHandle'));
  const name = metadata?.name;
  return first === undefined || name === undefined
    ? ''
    : ` The error repeats "${first.value}", which is ${first.path} of pv/${name}: check that it is right.`;
}

function askFix(m: FailedMount): Fix {
  const view = storageViewOf(m.driver, m.use?.volumeObject);
  return steps(
    `If the log says no more, ask ${view.team}, with the quoted words, about ${storageName(m)}.${viewWords(view)}`,
    viewCommands(view),
  );
}
