import { driverContainerOf, ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Pod } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { note } from '../../facts/evidence.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { rightIn } from '../lib/driver-error/senses/credentials.ts';
import { machineIdentityIn, machineRoleText } from '../lib/driver-error/senses/identity.ts';
import { steps } from '../lib/steps.ts';
import { allowActionFix } from './access-fixes.ts';
import { retryWords } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { pluginOn } from './plugin-fixes.ts';
import { nodeOf } from './told-volume.ts';

/** ` AmazonNodeRole is the role of the machine …`; empty where the driver spoke for itself. */
export function identityWords(text: string): string {
  const identity = rightIn(text).action === undefined ? undefined : machineIdentityIn(text);
  return identity === undefined
    ? ''
    : ` ${identity} is the identity of the machine, not one of the driver's own or of the pod's.`;
}

export function identityEvidence({ p, driver, text }: FailedMount): Evidence[] {
  const plugin = machineRoleText.test(text) ? pluginOn(p.ask, driver, nodeOf(p)) : undefined;
  return plugin && !hasOwnRole(plugin) ? [note(plugin, 'its driver container has no AWS_ROLE_ARN in its env')] : [];
}

/** A driver with an identity of its own that fell back to that of the machine has to get it back. */
export function allowActionFixes(m: FailedMount): Fix[] {
  const allow = allowActionFix(m);
  const own = machineRoleText.test(m.text) ? ownRoleFix(m) : undefined;
  if (!own) return [allow];
  return [own, { ...allow, text: `If the driver is to use the role of the machine, a${allow.text.slice(1)}` }];
}

const roleVariables = ['AWS_ROLE_ARN', 'AWS_CONTAINER_CREDENTIALS_FULL_URI', 'AWS_ACCESS_KEY_ID'];

function ownRoleFix({ p, driver }: FailedMount): Fix | undefined {
  const plugin = pluginOn(p.ask, driver, nodeOf(p));
  const owner = plugin && ownerOf(plugin);
  const account = plugin?.spec?.serviceAccountName;
  if (!plugin || owner?.kind !== 'DaemonSet' || account === undefined || hasOwnRole(plugin)) return undefined;
  const place = `kubectl -n ${shellWord(plugin.metadata.namespace ?? 'default')}`;
  return steps(
    `Give ${driver ?? 'the driver'} its own role instead of that of the machine, which every pod on ${nodeOf(p)} can use: ` +
      `pod/${plugin.metadata.name} has none of its own (no AWS_ROLE_ARN). The first line prints the role of its service ` +
      `account ${account}. If it prints one, the webhook did not act when the pod was created, and the restart injects it; ` +
      'the last line then prints it. If it prints none, annotate the account with eks.amazonaws.com/role-arn first ' +
      `(a role that may do what the words above name). The restart can interrupt mounts of FUSE drivers. ${retryWords}`,
    [
      `${place} get serviceaccount ${shellWord(account)} -o jsonpath='{.metadata.annotations.eks\\.amazonaws\\.com/role-arn}'`,
      `${place} rollout restart daemonset ${shellWord(owner.name)}`,
      `${place} get pods --field-selector spec.nodeName=${shellWord(nodeOf(p))} -o jsonpath='{..env[?(@.name=="AWS_ROLE_ARN")].value}'`,
    ],
    'disruptive',
  );
}

function hasOwnRole(plugin: Pod): boolean {
  const container = driverContainerOf(plugin.spec);
  return (container?.env ?? []).some(({ name }) => name !== undefined && roleVariables.includes(name));
}
