import { eventSaid, fix, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { logsFix } from '../../facts/driver/drivers.ts';
import { controllerOf, failure, provisionerOf } from './provisioner.ts';

/** The API server's refusal, quoted by the provisioner, in the words of any version; the service account lacks the right. */
export const provisionerRbac = claimRule({
  cause: 'provisioner-rbac',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const said = failure(
      c,
      /is forbidden: User "(system:serviceaccount:([^":]+):([^"]+))" cannot (\w+) (?:resource )?"?([\w./-]+)"?(?: in API group "([^"]*)")?(?:.*?in the namespace "([^"]+)")?/s,
    );
    if (!said) return undefined;
    const [, user = '', accountNamespace = '', account = '', verb = '', resource = '', group = '', namespace] =
      said.match;
    const provisioner = provisionerOf(c);
    const object = group === '' ? resource : `${resource}.${group}`;
    return {
      confidence: 'likely',
      about: user,
      summary: `service account ${accountNamespace}/${account} of the provisioner may not ${verb} ${object}${namespace === undefined ? '' : ` in namespace ${namespace}`}`,
      evidence: [eventSaid(c.claim, said.event)],
      fix: [
        fix(
          'ask whether it still lacks the right, and apply the RBAC that belongs to this version of the driver',
          `kubectl auth can-i ${shellWord(verb)} ${shellWord(object)} --as=${shellWord(user)}${namespace === undefined ? '' : ` -n ${shellWord(namespace)}`}`,
        ),
        ...(provisioner ? [logsFix(controllerOf(c, provisioner))] : []),
      ],
    };
  },
});
