import type { Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { handleOf } from '../../facts/volume/volume-use.ts';
import type { Explanation } from '../lib/rule.ts';
import { absentThingIn } from '../lib/driver-error/senses/missing.ts';
import { steps } from '../lib/steps.ts';
import { storageViewOf, viewCommands, viewWords } from '../lib/storage-view.ts';
import { restartPlugin } from '../mount/plugin-fixes.ts';
import type { AttachError } from './attach-error.ts';
import { retryText } from './attach-retry.ts';
import { driverAnswerOf, driverLogs, refusalText, registrationOf } from './attach-rpc.ts';
import { attachRules, confidenceOf, volumeObjectOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { handleEvidence } from './holding-node.ts';
import { blamedBy } from '../lib/driver-error/blamed-object.ts';

/** What the storage does not find, as far as its words show. */
interface Unknown {
  readonly error: AttachError;
  readonly registration: ReturnType<typeof registrationOf>;
  /** By which id the driver registered the node. */
  readonly nodeId: string | undefined;
  readonly handle: string | undefined;
  readonly blamed: 'volume' | 'node' | undefined;
}

/** ControllerPublishVolume NOT_FOUND: the volume or the node is unknown to the storage, seen with this account. */
export const attachRpcNotFound = attachRules('attach-rpc-not-found', 'blocking', (trouble) => {
  const unknown = findUnknown(trouble);
  if (!unknown) return undefined;
  const { node, driver } = trouble;
  return {
    confidence: confidenceOf(trouble),
    ...(unknown.blamed === 'node' && { about: `${driver ?? ''} on ${node}` }),
    summary:
      `${refusalText(trouble, unknown.error, 'could not attach')} The storage does not know ` +
      `${unknownWords(trouble, unknown)}, as seen with the account and region that the driver uses.`,
    evidence: evidenceOf(trouble, unknown),
    fix: fixesFor(trouble, unknown),
  };
});

const wrappedCodes: readonly (string | undefined)[] = ['Internal', 'Unknown', undefined];

function findUnknown(trouble: AttachTrouble): Unknown | undefined {
  const error = driverAnswerOf(trouble);
  const absent = error && absentThingIn(error.words);
  // Many drivers wrap what a cloud does not find into INTERNAL.
  if (!error || (error.code !== 'NotFound' && !(absent !== undefined && wrappedCodes.includes(error.code))))
    return undefined;
  const { node, attachment } = trouble;
  const registration = registrationOf(trouble);
  const nodeId = registration?.entry?.nodeID;
  const usedId =
    attachment.state === 'found'
      ? attachment.object.metadata.annotations?.['csi.alpha.kubernetes.io/node-id']
      : undefined;
  const volume = volumeObjectOf(trouble);
  const handle = volume && handleOf(volume);
  return {
    error,
    registration,
    nodeId,
    handle,
    blamed: absent ?? blamedBy(error.words, handle, nodeId ?? usedId ?? node),
  };
}

function unknownWords({ node }: AttachTrouble, { blamed, nodeId, handle }: Unknown): string {
  if (blamed === 'node') return `node ${node}${nodeId && nodeId !== node ? ` (${nodeId})` : ''}`;
  if (blamed === 'volume') return `the volume${handle ? ` (${handle})` : ''}`;
  return 'the volume or the node';
}

function evidenceOf(trouble: AttachTrouble, { error, registration, nodeId }: Unknown): Explanation['evidence'] {
  return [
    error.evidence,
    ...handleEvidence(trouble),
    ...(registration && nodeId !== undefined
      ? [field(registration.csiNode, `spec.drivers[${trouble.driver ?? ''}].nodeID`, nodeId)]
      : []),
  ];
}

function fixesFor(trouble: AttachTrouble, unknown: Unknown): Fix[] {
  const logs = driverLogs(trouble);
  if (unknown.blamed === 'volume') return [restoreFix(trouble, unknown), ...logs];
  const restart = registerFix(trouble, unknown);
  return unknown.blamed === 'node' ? [restart, ...logs] : [restoreFix(trouble, unknown), restart, ...logs];
}

function restoreFix(trouble: AttachTrouble, { handle }: Unknown): Fix {
  const who = trouble.driver ?? 'the driver';
  const view = storageViewOf(trouble.driver, volumeObjectOf(trouble));
  return steps(
    `Ask ${view.team} whether volume ${handle ?? trouble.volumeName} exists in the account, region or pool ` +
      `that ${who} uses. If it is elsewhere, point the driver there; ` +
      `if it was deleted, restore its data from a snapshot or a backup into a new claim.${viewWords(view)} ` +
      `${retryText(trouble)}`,
    viewCommands(view),
  );
}

function registerFix(trouble: AttachTrouble, { blamed, nodeId }: Unknown): Fix {
  const { node, driver, ask } = trouble;
  const lead = blamed === 'node' ? 'Restart' : 'If the node is meant, restart';
  return restartPlugin(
    ask,
    driver,
    node,
    `${lead} the node plugin of ${driver ?? 'the driver'} on ${node}, so that it registers the node again: ` +
      `the storage does not know ${nodeId ?? 'the id that it has registered'}. ${retryText(trouble)}`,
  );
}
