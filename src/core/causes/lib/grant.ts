import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { accountForbiddenText } from './driver-error/senses/kubernetes.ts';
import { steps } from './steps.ts';

/**
 * Kubernetes RBAC: the verb that the API server refused, for the account that it names. `retry` states what tries
 * again, and when; `release` brings the account's other rights.
 */
export function grantFix(
  text: string,
  driver: string | undefined,
  retry: string,
  release = "the driver's release",
): Fix {
  const match = accountForbiddenText.exec(text);
  if (!match)
    return steps(
      `Correct what the API server refused: reapply the RBAC manifests of ${driver ?? 'the driver'}, or change ` +
        `the policy that is quoted above. ${retry}`,
      [],
    );
  const [, accountNamespace = '', account = '', verb = '', resource = '', group = '', namespace] = match;
  // kubectl wants the group before the subresource: volumeattachments.storage.k8s.io/status.
  const [plain = '', subresource] = resource.split('/');
  const resourceName = `${plain}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
  const name = shellWord(`${account}-${verb}-${resource.replaceAll('/', '-')}`);
  const subject = `--serviceaccount=${shellWord(`${accountNamespace}:${account}`)}`;
  const rules = `--verb=${shellWord(verb)} --resource=${shellWord(resourceName)}`;
  const commands =
    namespace === undefined
      ? [
          `kubectl create clusterrole ${name} ${rules}`,
          `kubectl create clusterrolebinding ${name} --clusterrole=${name} ${subject}`,
        ]
      : [
          `kubectl -n ${shellWord(namespace)} create role ${name} ${rules}`,
          `kubectl -n ${shellWord(namespace)} create rolebinding ${name} --role=${name} ${subject}`,
        ];
  return steps(
    `Allow service account ${accountNamespace}/${account} to ${verb} ` +
      `${resourceName}${namespace === undefined ? '' : ` in namespace ${namespace}`}, best by reapplying the ` +
      `RBAC manifests of ${release}; otherwise with these lines. ${retry}`,
    commands,
  );
}
