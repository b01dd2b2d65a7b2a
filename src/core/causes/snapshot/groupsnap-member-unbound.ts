import { field, inNamespace, shellWord } from '../../facts/evidence.ts';
import { steps } from '../lib/steps.ts';
import { groupError, groupRetry, isDynamic, membersOf, ruleForGroup, selectingLabel } from './group-snapshot.ts';
import { objectText } from './snapshot-rule.ts';

/** All members are taken together, so a single claim without a volume holds back the group. */
export const groupsnapMemberUnbound = ruleForGroup('groupsnap-member-unbound', (subject) => {
  const { object: group } = subject;
  if (!isDynamic(group)) return undefined;
  const unbound = membersOf(subject).items.filter(({ claim, isBound }) => claim !== undefined && !isBound);
  const [first] = unbound;
  if (!first?.claim) return undefined;
  const said = groupError(subject);
  const { namespace, name } = first;
  const others = unbound.length === 1 ? '' : `, and ${unbound.length - 1} more`;
  return {
    summary:
      `${objectText(group)} is not taken: pvc/${name}${others} of its members is not bound ` +
      `(${first.claim.status?.phase ?? 'no phase'}).`,
    evidence: [field(first.claim, 'status.phase'), ...(said ? [said.evidence] : [])],
    fix: [
      steps(`Repair pvc/${name} first: this names what blocks it and the steps. ${groupRetry}`, [
        `kubectl csi why pvc/${shellWord(name)} ${inNamespace(namespace)}`.trim(),
      ]),
      steps('If the claim should not belong to the group, remove the label that the selector matches.', [
        `kubectl ${inNamespace(namespace)}label pvc ${shellWord(name)} ${shellWord(selectingLabel(group))}-`,
      ]),
    ],
  };
});
