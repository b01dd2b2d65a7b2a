import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Volume } from '../../kube/kinds.ts';
import { commandsOf } from '../../report/fix-commands.ts';
import type { Fix } from '../../report/report.ts';
import { sentence } from '../lib/sentence.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { provisionerFinalizer } from './finalizers.ts';
import { policyOf } from './reclaim-policy.ts';

/** Keeps the data in the backend when claim and volume are deleted. Reversible. */
export function retainCommand(name: string): string {
  return patchCommand(
    { kind: 'PersistentVolume', metadata: { name } },
    { spec: { persistentVolumeReclaimPolicy: 'Retain' } },
  );
}

export function retainFix(name: string, text: string): Fix {
  return steps(text, [retainCommand(name)]);
}

/**
 * The volume whose data is deleted when the claim goes; one that could not be read counts. Undefined: no data is lost.
 */
export function volumeAtRisk(c: PresentClaim): Volume | undefined {
  if (c.volumeName === '' || c.volume?.state === 'missing') return undefined;
  if (c.volume?.state !== 'found') return { kind: 'PersistentVolume', metadata: { name: c.volumeName } };
  return isAtRisk(c.volume.object) ? c.volume.object : undefined;
}

export function isAtRisk(volume: Volume): boolean {
  return policyOf(volume) !== 'Retain';
}

/**
 * Everything that lets a deletion finish deletes the data with it, unless the policy is Retain: the steps that do so
 * are marked, and the step that keeps the data follows the first one. `then` states what is deleted; `keep` is a better
 * way to keep the data, if there is one.
 */
export function dataFirst(
  volume: Volume | undefined,
  fixes: readonly Fix[],
  then = volume && deletionWords(volume),
  keep = volume && keepFix(volume),
): Fix[] {
  if (!volume || !isAtRisk(volume)) return [...fixes];
  const [first, ...others] = fixes.map((fix, index) => (isLooking(fix) ? fix : deleting(fix, then ?? '', index === 0)));
  return [...(first ? [first] : []), ...(keep ? [keep] : []), ...others];
}

/** The same with the policy as the first line of the first step: whoever copies that step loses nothing. */
export function keepFirst(
  volume: Volume | undefined,
  fixes: readonly Fix[],
  then = volume && deletionWords(volume),
): Fix[] {
  if (!volume || !isAtRisk(volume)) return [...fixes];
  const first = fixes.findIndex((fix) => !isLooking(fix));
  return fixes.map((fix, index) => {
    if (isLooking(fix)) return fix;
    return index === first ? keeping(fix, volume) : deleting(fix, then ?? '', false);
  });
}

function keeping(fix: Fix, { metadata: { name } }: Volume): Fix {
  const commands = commandsOf(fix);
  const line = commands.length === 0 ? 'line' : 'first line';
  // What was the first line is the second one now.
  const text = fix.text.replaceAll(/\bfirst (?=(?:line|command)\b)/g, 'second ');
  return steps(
    `${sentence(text)} The ${line} keeps the data: it sets the policy of the volume to Retain, so that the volume ` +
      `stays in the backend. Leave that line out only if the data is not needed.`,
    [retainCommand(name), ...commands],
    fix.risk,
  );
}

function keepFix({ metadata: { name } }: Volume): Fix {
  return retainFix(
    name,
    'Keep the data, if it is needed, before any other step: set the policy of the volume to Retain. ' +
      'The volume then stays in the backend when the deletion finishes.',
  );
}

/**
 * The provisioner leaves a volume alone that is being deleted without its finalizer (provisioner library shouldDelete).
 */
function deletionWords({ metadata, spec }: Volume): string {
  const isIgnored =
    metadata.deletionTimestamp !== undefined &&
    spec?.csi !== undefined &&
    !(metadata.finalizers ?? []).includes(provisionerFinalizer);
  return isIgnored
    ? 'The PersistentVolume then goes, and with policy Delete the volume in the backend may go with it.'
    : 'The volume and its data are then deleted, as the deleted claim asks.';
}

function deleting(fix: Fix, then: string, isFirst: boolean): Fix {
  const warning = isFirst ? ' If the data is needed, do step 2 first.' : '';
  return { ...fix, text: `${sentence(fix.text)} ${then}${warning}`, risk: 'data-loss' };
}

function isLooking(fix: Fix): boolean {
  const commands = commandsOf(fix);
  return (
    fix.risk !== 'data-loss' &&
    commands.length > 0 &&
    commands.every((each) => /^kubectl(?: -n \S+)? (?:logs|describe|get|csi|events) /.test(each))
  );
}
