import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { shellWord } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import {
  azurePolicyText,
  policyAssignmentIn,
  resourceGroupIn,
  storageAccountText,
} from '../lib/driver-error/senses/cloud.ts';
import { recreateClass } from '../lib/remake-class.ts';
import { steps } from '../lib/steps.ts';
import type { ProvisionError } from './provision-error.ts';

/** An Azure policy forbids what the driver wants to create, with the settings that it gives it. */
export function azurePolicyFixes(c: PresentClaim, { text }: ProvisionError): Fix[] {
  const group = resourceGroupIn(text);
  if (!azurePolicyText.test(text) || group === undefined) return [];
  const assignment = policyAssignmentIn(text);
  const scope = shellWord(group);
  const exempt = steps(
    `Ask the Azure owner to exempt resource group ${group} from the policy that forbids this${assignment === undefined ? " (PLACEHOLDER_ASSIGNMENT: the id of its assignment, in the first line's output)" : ''}. The next retry, within 5 minutes, then succeeds.`,
    [
      ...(assignment === undefined
        ? [`az policy assignment list --resource-group ${scope} --disable-scope-strict-match -o table`]
        : []),
      `az policy exemption create --name csi-volumes --exemption-category Waiver --resource-group ${scope} --policy-assignment ${shellWord(assignment ?? 'PLACEHOLDER_ASSIGNMENT')}`,
    ],
  );
  return [exempt, ...useOwnAccount(c, text, group)];
}

/** Without storageAccount in the class, the driver creates an account of its own: one that complies can be given instead. */
function useOwnAccount(c: PresentClaim, text: string, group: string): Fix[] {
  const keys = Object.keys(c.storageClassObject?.parameters ?? {}).map((key) => key.toLowerCase());
  if (!storageAccountText.test(text) || !c.storageClassObject || keys.includes('storageaccount')) return [];
  return [
    recreateClass(
      c,
      'with storageAccount=PLACEHOLDER_ACCOUNT, an account that complies with the policy and that the Azure owner creates, so that the driver creates none',
      { parameters: { storageAccount: 'PLACEHOLDER_ACCOUNT', resourceGroup: group } },
    ),
  ];
}
