import type { CsiNode } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import type { AttachError } from './attach-error.ts';
import { attachmentEvidence, attachRules, someEvidence } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { driverNotOnNodeText } from '../lib/driver-error/senses/kubernetes.ts';

/**
 * external-attacher retries a failed attach after five minutes at the latest; one more minute for the attach itself.
 */
const retrySeconds = 360;

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
    summary: `${lead}: ${driver} is not registered on ${node}, so that the attacher does not know the node`,
    evidence,
    fix: [
      fix(
        `see whether the node plugin of ${driver} runs on ${node}: taints and node selectors keep it away, a crash unregisters it`,
        `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`,
      ),
      fix('compare with the nodes where it is registered', 'kubectl get csinodes'),
    ],
  };
}

/** The driver has registered since the error: the next retry of the attacher succeeds. */
function explainRegistered(
  { ask, lead }: AttachTrouble,
  said: AttachError,
  csiNode: CsiNode,
  driver: string,
): Explanation | undefined {
  const at = parseTime(said.evidence.at);
  if (at === undefined || (ask.now - at) / 1000 > retrySeconds) return undefined;
  return {
    severity: 'info',
    summary: `${lead} yet: ${driver} was not registered there when the attacher last tried, and is now; the next try comes within five minutes`,
    evidence: [said.evidence, field(csiNode, 'spec.drivers', driver)],
    fix: [],
  };
}
