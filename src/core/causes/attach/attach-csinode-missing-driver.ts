import type { CsiNode } from '../../kube/kinds.ts';
import { field } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import { driverNotOnNodeText } from '../lib/driver-error/senses/kubernetes.ts';
import type { Explanation } from '../lib/rule.ts';
import { whyAbsent } from '../mount/absent-plugin.ts';
import { runPluginFixes } from '../mount/driver-not-on-node.ts';
import { registrationOf } from '../mount/needed-drivers.ts';
import { pluginOn, restartPlugin } from '../mount/plugin-fixes.ts';
import type { AttachError } from './attach-error.ts';
import { explainOver, isRecent, retryText } from './attach-retry.ts';
import { attachmentEvidence, attachRules, someEvidence } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';

/** external-attacher getNodeID: the CSINode object is there, but the driver is not registered in it. */
export const attachCsiNodeMissingDriver = attachRules('attach-csinode-missing-driver', 'blocking', (trouble) => {
  const { ask, node, driver, error } = trouble;
  const said = error && driverNotOnNodeText.test(error.raw) ? error : undefined;
  if (driver === undefined && !said) return undefined;
  if (!said && trouble.attachment.state !== 'found') return undefined;
  const name = driver ?? driverNotOnNodeText.exec(said?.raw ?? '')?.[2] ?? 'the driver';
  const lookup = ask.get('CSINode', undefined, node, `which drivers are registered on ${node}`);
  if (lookup.state === 'missing' || (lookup.state === 'unknown' && !said)) return undefined;
  const csiNode = lookup.state === 'found' ? lookup.object : undefined;
  if (csiNode?.spec?.drivers?.some((entry) => entry.name === name))
    return said && explainRegistered(trouble, said, csiNode, name);
  return explainUnregistered(trouble, said, csiNode, name);
});

function explainUnregistered(
  trouble: AttachTrouble,
  said: AttachError | undefined,
  csiNode: CsiNode | undefined,
  driver: string,
): Explanation | undefined {
  const { node, lead } = trouble;
  const registered = (csiNode?.spec?.drivers ?? []).map(({ name }) => name).join(', ');
  const evidence = someEvidence([
    ...(csiNode ? [field(csiNode, 'spec.drivers', registered || 'none')] : []),
    ...(said ? [said.evidence] : []),
    ...attachmentEvidence(trouble),
  ]);
  if (!evidence) return undefined;
  return {
    confidence: csiNode ? 'certain' : 'likely',
    about: `${driver} on ${node}`,
    summary:
      `${lead}: ${driver} is not registered on ${node}${said ? ', as the attacher reports' : ''}, so the ` +
      'attacher has no id for the node.',
    evidence,
    fix: registerFixes(trouble, driver),
  };
}

/** Where the pods could not be read, the list may show that there is nothing to restart. */
const unlistedWords =
  ' If no pod of it is listed, bring one there: let its DaemonSet run on that node, or install the node plugin. ' +
  'A driver outside of pods is restarted where it runs.';

/** The node plugin, with its registrar, has to run on the node. */
function registerFixes(trouble: AttachTrouble, driver: string): Fix[] {
  const { ask, node } = trouble;
  const registration = registrationOf(ask, driver, node, {});
  const seen = pluginOn(ask, driver, node);
  if (seen || !registration.plugin.pods.complete)
    return [
      restartPlugin(
        ask,
        driver,
        node,
        `Restart the node plugin of ${driver} on ${node}, so that it registers again; ` +
          `its saved log shows why it did not. ${retryText(trouble)}${seen ? '' : unlistedWords}`,
      ),
    ];
  return runPluginFixes(registration, whyAbsent(registration));
}

/** The driver has registered since the error: the next retry of the attacher succeeds. */
function explainRegistered(
  trouble: AttachTrouble,
  said: AttachError,
  csiNode: CsiNode,
  driver: string,
): Explanation | undefined {
  if (!isRecent(trouble, said)) return undefined;
  return {
    ...explainOver(trouble, `${driver} is registered on ${trouble.node} now.`, [
      said.evidence,
      field(csiNode, 'spec.drivers', driver),
    ]),
    confidence: 'certain',
  };
}
