import { field, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { steps } from '../lib/steps.ts';
import { groupError, groupRetry, isDynamic, membersOf, ruleForGroup } from './group-snapshot.ts';
import { objectText } from './snapshot-rule.ts';

/** One call to one driver takes the whole group (CreateVolumeGroupSnapshot). */
export const groupsnapDriversMixed = ruleForGroup('groupsnap-drivers-mixed', (subject) => {
  const { object: group } = subject;
  if (!isDynamic(group)) return undefined;
  const byDriver = new Map<string, ClaimCase>();
  for (const member of membersOf(subject).items) {
    const driver = member.volume?.state === 'found' ? member.volume.object.spec?.csi?.driver : undefined;
    if (driver !== undefined && !byDriver.has(driver)) byDriver.set(driver, member);
  }
  if (byDriver.size < 2) return undefined;
  const said = groupError(subject);
  const [first, ...rest] = [...byDriver].flatMap(([, { volume }]) =>
    volume?.state === 'found' ? [field(volume.object, 'spec.csi.driver')] : [],
  );
  if (!first) return undefined;
  const words = [...byDriver].map(([driver, { name }]) => `${driver} (pvc/${name})`).join(' and ');
  return {
    summary: `${objectText(group)} has members of more than one driver: ${words}. One driver has to take all snapshots of a group.`,
    evidence: [first, ...rest, ...(said ? [said.evidence] : [])],
    fix: [
      steps(
        'Create a group for each driver: give the claims a label that differs by driver (PLACEHOLDER_LABEL), and ' +
          `select by it. A group cannot be changed, so recreate this one. ${groupRetry}`,
        [...byDriver.values()].map(
          ({ namespace, name }) => `kubectl ${inNamespace(namespace)}label pvc ${shellWord(name)} PLACEHOLDER_LABEL`,
        ),
      ),
    ],
  };
});
