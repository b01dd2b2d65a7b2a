import { field, inNamespace, shellWord } from '../../facts/evidence.ts';
import { describeLabelSelector } from '../../kube/selectors.ts';
import { steps } from '../lib/steps.ts';
import { groupError, groupRetry, isDynamic, membersOf, ruleForGroup } from './group-snapshot.ts';
import { objectText } from './snapshot-rule.ts';
import { selectorUnmatchedText } from '../lib/driver-error/sentences/snapshots.ts';

/** groupsnapshot_controller_helper.go getClaimsFromVolumeGroupSnapshot: a group without members is an error. */
export const groupsnapSelectorUnmatched = ruleForGroup('groupsnap-selector-unmatched', (subject) => {
  const { object: group } = subject;
  const said = groupError(subject);
  const isSaid = said !== undefined && selectorUnmatchedText.test(said.text);
  if (!isDynamic(group) || (!isSaid && said !== undefined)) return undefined;
  const members = membersOf(subject);
  if (members.items.length > 0 || (!members.complete && !isSaid)) return undefined;
  const { matchLabels = {} } = group.spec?.source?.selector ?? {};
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const words = describeLabelSelector(group.spec?.source?.selector, { all: 'everything', none: 'nothing' });
  return {
    confidence: members.complete ? 'certain' : 'likely',
    summary: `${objectText(group)} has no members: no claim of the namespace matches its selector ${words}.`,
    evidence: [field(group, 'spec.source.selector', words), ...(isSaid ? [said.evidence] : [])],
    fix: [
      steps(
        'Label the claims that belong to the group (PLACEHOLDER_CLAIM): ' +
          `no claim of the namespace matches its selector ${words}. ${groupRetry}`,
        labels.length === 0
          ? []
          : [
              `kubectl ${inNamespace(group.metadata.namespace)}label pvc PLACEHOLDER_CLAIM ${labels.map(shellWord).join(' ')}`,
            ],
      ),
    ],
  };
});
