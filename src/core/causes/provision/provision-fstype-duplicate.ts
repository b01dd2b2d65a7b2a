import { eventSaid, field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { failure, provisionerOf } from './provisioner.ts';
import { parameterPrefix } from './secret-parameters.ts';
import { remakeClass } from './remake-class.ts';

/** external-provisioner prepareProvision counts `fstype` in any case and the reserved key together. */
export const provisionFstypeDuplicate = claimRule({
  cause: 'provision-fstype-duplicate',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = provisionerOf(c);
    const storageClass = c.storageClassObject;
    const said = failure(c, /fstype specified in parameters with both/i);
    const keys =
      provisioner?.isCsi && !provisioner.inTree
        ? Object.keys(storageClass?.parameters ?? {})
            .filter((key) => key.toLowerCase() === 'fstype' || key === `${parameterPrefix}fstype`)
            .sort()
        : [];
    const isProven = storageClass !== undefined && keys.length > 1;
    if (!isProven && !(said && c.storageClass?.state === 'unknown')) return undefined;
    return {
      confidence: isProven ? 'certain' : 'likely',
      about: c.class.name,
      summary: `class ${c.class.name} names the file system more than once${isProven ? `: ${keys.join(' and ')}` : ''}`,
      evidence: [
        isProven
          ? field(storageClass, `parameters[${keys[0]}]`, storageClass.parameters?.[keys[0] ?? ''] ?? '')
          : field(c.claim, 'spec.storageClassName', c.class.name),
        ...(isProven
          ? keys.slice(1).map((key) => field(storageClass, `parameters[${key}]`, storageClass.parameters?.[key] ?? ''))
          : []),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: [remakeClass(c.class.name, `with ${parameterPrefix}fstype only`)],
    };
  },
});
