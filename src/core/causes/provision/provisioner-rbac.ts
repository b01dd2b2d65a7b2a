import type { Fix } from '../../report/report.ts';
import type { EventMatch } from '../../graph/events.ts';
import { logsFix } from '../../facts/driver/drivers.ts';
import { eventSaid, fix, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
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
    const right = missingRight(said);
    const provisioner = provisionerOf(c);
    const place = right.namespace === undefined ? '' : ` in namespace ${right.namespace}`;
    return {
      confidence: 'likely',
      about: right.user,
      summary: `service account ${right.account} of the provisioner may not ${right.verb} ${right.resource}${place}`,
      evidence: [eventSaid(c.claim, said.event)],
      fix: [checkRight(right), ...(provisioner ? [logsFix(controllerOf(c, provisioner))] : [])],
    };
  },
});

interface MissingRight {
  readonly user: string;
  /** NAMESPACE/NAME. */
  readonly account: string;
  readonly verb: string;
  /** RESOURCE or RESOURCE.GROUP. */
  readonly resource: string;
  readonly namespace: string | undefined;
}

function missingRight({ match }: EventMatch): MissingRight {
  const [, user = '', accountNamespace = '', account = '', verb = '', resource = '', group = '', namespace] = match;
  return {
    user,
    account: `${accountNamespace}/${account}`,
    verb,
    resource: group === '' ? resource : `${resource}.${group}`,
    namespace,
  };
}

function checkRight({ user, verb, resource, namespace }: MissingRight): Fix {
  const place = namespace === undefined ? '' : ` -n ${shellWord(namespace)}`;
  return fix(
    'ask whether it still lacks the right, and apply the RBAC that belongs to this version of the driver',
    `kubectl auth can-i ${shellWord(verb)} ${shellWord(resource)} --as=${shellWord(user)}${place}`,
  );
}
