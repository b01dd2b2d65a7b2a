import { nearestName } from '../../kube/names.ts';
import { newestMatch } from '../../graph/events.ts';
import { absent, eventSaid, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { mergePatch } from '../expand/expansion.ts';
import { modificationOf, modifyEvidence } from './modification.ts';

/** external-resizer getTargetVAC: without the class the change stays Pending. */
export const modifyVacMissing = claimRule({
  cause: 'modify-vac-missing',
  stage: 'modify',
  severity: 'blocking',
  explain(c) {
    const { wanted, target, state } = modificationOf(c);
    // A change that may still be at work is brought to its end first, with its own class.
    const names = [...new Set([wanted, state === 'InProgress' ? target : ''])].filter((name) => name !== '');
    for (const name of names) {
      const lookup = c.ask.get('VolumeAttributesClass', undefined, name, `whether attributes class ${name} exists`);
      const said = newestMatch(c.events.items, 'VolumeModifyFailed', /VAC "([^"]+)" does not exist/);
      const isSaid = said?.match[1] === name;
      // Pending is written for no other reason than that the class was not found.
      const isTold = state === 'Pending' || (isSaid && state !== 'InProgress');
      if (lookup.state === 'found' || (lookup.state === 'unknown' && !isTold)) continue;
      const near = nearestName(
        name,
        c.ask.seen('VolumeAttributesClass').map(({ metadata }) => metadata.name),
      );
      return {
        confidence: lookup.state === 'missing' ? 'certain' : 'likely',
        about: name,
        summary: `attributes class ${name} does not exist${near ? `; did you mean ${near}?` : ''}`,
        evidence: [
          ...modifyEvidence(c),
          ...(lookup.state === 'missing' ? [absent('VolumeAttributesClass', name)] : []),
          ...(said && isSaid ? [eventSaid(c.claim, said.event)] : []),
        ],
        fix: [
          fix(
            `create attributes class ${name}; a resizer that does not look again after that (v1.14.0 does not) has to be restarted`,
            'kubectl get volumeattributesclass',
          ),
          fix(
            'or name an existing one in the claim',
            near
              ? `kubectl ${inNamespace(c.namespace)}patch pvc ${shellWord(c.name)} --type=merge -p ${mergePatch({ spec: { volumeAttributesClassName: near } })}`
              : `kubectl ${inNamespace(c.namespace)}edit pvc ${shellWord(c.name)}`,
          ),
        ],
      };
    }
    return undefined;
  },
});
