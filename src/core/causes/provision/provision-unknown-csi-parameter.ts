import { eventSaid, field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { nearestName } from '../../kube/names.ts';
import { failure, provisionerOf } from './provisioner.ts';
import { knownParameterKeys, parameterPrefix } from './secret-parameters.ts';
import { remakeClass } from './remake-class.ts';

/** external-provisioner removePrefixedParameters: the prefix is reserved, and what it does not know it refuses. */
export const provisionUnknownCsiParameter = claimRule({
  cause: 'provision-unknown-csi-parameter',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = provisionerOf(c);
    const storageClass = c.storageClassObject;
    const said = failure(c, /found unknown parameter key "([^"]+)" with reserved namespace/);
    const unknown =
      provisioner?.isCsi && !provisioner.inTree
        ? Object.keys(storageClass?.parameters ?? {})
            .filter((key) => key.startsWith(parameterPrefix) && !knownParameterKeys.has(key))
            .sort()
        : [];
    // An older provisioner refuses keys that came later; then only its word counts.
    const refused = said?.match[1];
    const key =
      unknown[0] ??
      (refused !== undefined &&
      (storageClass?.parameters?.[refused] !== undefined || c.storageClass?.state === 'unknown')
        ? refused
        : undefined);
    if (key === undefined) return undefined;
    const near = nearestName(key, knownParameterKeys);
    return {
      confidence: unknown.length > 0 ? 'certain' : 'likely',
      about: c.class.name,
      summary: `class ${c.class.name} has parameter ${key}, which the provisioner does not know${near && unknown.length > 0 ? `; did you mean ${near}?` : ''}`,
      evidence: [
        storageClass
          ? field(storageClass, `parameters[${key}]`, storageClass.parameters?.[key] ?? '')
          : field(c.claim, 'spec.storageClassName', c.class.name),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: [remakeClass(c.class.name, 'without that parameter')],
    };
  },
});
