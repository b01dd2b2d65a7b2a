import type { Fix } from '../../report/report.ts';
import type { EventMatch } from '../../graph/events.ts';
import { eventSaid, inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { failure } from './provisioner.ts';
import { rightMissingText } from '../lib/driver-error/sentences/provisioner.ts';

/**
 * The API server's refusal, quoted by the provisioner, in the words of any version; the service account lacks the
 * right.
 */
export const provisionerRbac = claimRule({
  cause: 'provisioner-rbac',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const said = failure(c, rightMissingText);
    if (!said) return undefined;
    const right = missingRight(said);
    const place = right.namespace === undefined ? '' : ` in namespace ${right.namespace}`;
    return {
      confidence: 'likely',
      about: right.user,
      summary: `The API server refuses the provisioner: service account ${right.account} may not ${right.verb} ${right.resource}${place}.`,
      evidence: [eventSaid(c.claim, said.event)],
      fix: [grantRight(right)],
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

/** Rights to read come together: a controller that lists also watches. */
const readVerbs = ['get', 'list', 'watch'];

/** Exactly the right that was refused, where it was refused; the driver's own manifest holds all that it needs. */
function grantRight({ account, verb, resource, namespace }: MissingRight): Fix {
  const verbs = readVerbs.includes(verb) ? readVerbs.join() : verb;
  const [accountNamespace = '', name = ''] = account.split('/');
  const role = shellWord(`${name}-${verb}-${resource.split('.')[0]?.replaceAll('/', '-') ?? ''}`);
  const kind = namespace === undefined ? 'clusterrole' : 'role';
  const place = inNamespace(namespace);
  return steps(
    "Reapply the RBAC of the driver's release, or grant exactly this right. The claim is retried " +
      'automatically within 5 ' +
      `minutes.${
        name === 'default'
          ? ' Account "default" is shared by all pods of its namespace: give the provisioner an account of its ' +
            'own first.'
          : ''
      }`,
    [
      `kubectl ${place}create ${kind} ${role} --verb=${verbs} --resource=${shellWord(resource)}`,
      `kubectl ${place}create ${kind}binding ${role} --${kind}=${role} --serviceaccount=${shellWord(`${accountNamespace}:${name}`)}`,
    ],
  );
}
