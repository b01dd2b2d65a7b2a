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
import { saysHostMissing } from '../lib/driver-error/senses/nodes.ts';
import { registryEvidence, registryFixes, registryText } from './node-registry.ts';
import { blamedBy } from '../lib/driver-error/blamed-object.ts';

/** What the storage does not find, as far as its words show. */
interface Unknown {
  readonly error: AttachError;
  readonly registration: ReturnType<typeof registrationOf>;
  /** By which id the driver registered the node. */
  readonly nodeId: string | undefined;
  /** The id with which the attacher asked. */
  readonly usedId: string | undefined;
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
    summary: `${refusalText(trouble, unknown.error, 'could not attach')}${unknown.blamed === 'node' ? registryText(trouble, unknown.error, unknown.nodeId) : ` The storage does not know ${unknownWords(unknown)}, as seen with the account and region that the driver uses.`}`,
    evidence: evidenceOf(trouble, unknown),
    fix: fixesFor(trouble, unknown),
  };
});

const wrappedCodes: readonly (string | undefined)[] = ['Internal', 'Unknown', undefined];

/** The storage does not find the volume or the node. */
export function missesSomething(trouble: AttachTrouble): boolean {
  return findUnknown(trouble) !== undefined;
}

function findUnknown(trouble: AttachTrouble): Unknown | undefined {
  const error = driverAnswerOf(trouble);
  const absent = error && (saysHostMissing(error.words) ? 'node' : absentThingIn(error.words));
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
    usedId,
    handle,
    blamed: absent ?? blamedBy(error.words, handle, nodeId ?? usedId ?? node),
  };
}

function unknownWords({ blamed, handle }: Unknown): string {
  if (blamed === 'volume') return `the volume${handle ? ` (${handle})` : ''}`;
  return 'the volume or the node';
}

function evidenceOf(trouble: AttachTrouble, unknown: Unknown): Explanation['evidence'] {
  const { error, registration, nodeId } = unknown;
  return [
    error.evidence,
    ...handleEvidence(trouble),
    ...(unknown.blamed === 'node' ? registryEvidence(trouble, error) : []),
    ...(registration && nodeId !== undefined
      ? [field(registration.csiNode, `spec.drivers[${trouble.driver ?? ''}].nodeID`, nodeId)]
      : []),
  ];
}

function fixesFor(trouble: AttachTrouble, unknown: Unknown): Fix[] {
  const { error, blamed, nodeId } = unknown;
  const logs = driverLogs(trouble);
  if (blamed === 'node') return registryFixes(trouble, error, nodeId ?? unknown.usedId);
  if (blamed === 'volume') return [restoreFix(trouble, unknown), ...logs];
  return [restoreFix(trouble, unknown), registerFix(trouble, nodeId), ...logs];
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

function registerFix(trouble: AttachTrouble, nodeId: string | undefined): Fix {
  const { node, driver, ask } = trouble;
  return restartPlugin(
    ask,
    driver,
    node,
    `If the node is meant, restart the node plugin of ${driver ?? 'the driver'} on ${node}, so that it registers the node again: ` +
      `the storage does not know ${nodeId ?? 'the id that it has registered'}. ${retryText(trouble)}`,
  );
}
