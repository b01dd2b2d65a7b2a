import type { Fix } from '../../report/report.ts';
import type { EventMatch } from '../../graph/events.ts';
import { eventSaid, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { addRights, missingEvidence, missingWords } from '../lib/missing-right.ts';
import type { Explanation } from '../lib/rule.ts';
import { failure } from './provisioner.ts';
import { leaseEvidence, refusedLease } from './provisioner-driver-not-ready.ts';
import { lockText, rightMissingText } from '../lib/driver-error/sentences/provisioner.ts';

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
    if (!said) return explainLease(c);
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

/** The provisioner reports nothing: without its lease it does not begin, and its roles leave out the lease. */
function explainLease(c: PresentClaim): Explanation | undefined {
  const refused = refusedLease(c);
  if (!refused) return undefined;
  const { driver, controller, pod, missing } = refused;
  const { name, namespace = '' } = pod.metadata;
  return {
    confidence: 'likely',
    about: driver,
    summary:
      `The provisioner of ${driver} runs in pod/${name} in namespace ${namespace} and cannot lead: ` +
      `${missingWords(missing)}.`,
    evidence: [
      note(pod, 'the provisioner runs with leader election'),
      ...leaseEvidence(controller, pod),
      ...missingEvidence(missing),
    ],
    fix: [addRights(missing, 'the driver', 'The provisioner then leads within a minute, and creates the volume.')],
  };
}

interface MissingRight {
  readonly user: string;
  /** NAMESPACE/NAME. */
  readonly account: string;
  readonly verb: string;
  /** RESOURCE or RESOURCE.GROUP. */
  readonly resource: string;
  readonly namespace: string | undefined;
  /** It is the right to elect a leader. */
  readonly isLock: boolean;
}

function missingRight({ match }: EventMatch): MissingRight {
  const [, user = '', accountNamespace = '', account = '', verb = '', resource = '', group = '', namespace] = match;
  return {
    user,
    account: `${accountNamespace}/${account}`,
    verb,
    resource: group === '' ? resource : `${resource}.${group}`,
    namespace,
    isLock: lockText.test(match.input),
  };
}

/** Rights to read come together: a controller that lists also watches. */
const readVerbs = ['get', 'list', 'watch'];

/** client-go resourcelock: who may not read the lock may not create or renew it either. */
const lockVerbs = 'get,list,watch,create,update,patch';

/** Exactly the right that was refused, where it was refused; the driver's own manifest holds all that it needs. */
function grantRight({ account, verb, resource, namespace, isLock }: MissingRight): Fix {
  const readOrOne = readVerbs.includes(verb) ? readVerbs.join() : verb;
  const verbs = isLock ? lockVerbs : readOrOne;
  const [accountNamespace = '', name = ''] = account.split('/');
  const role = shellWord(`${name}-${verb}-${resource.split('.')[0]?.replaceAll('/', '-') ?? ''}`);
  const kind = namespace === undefined ? 'clusterrole' : 'role';
  const place = inNamespace(namespace);
  return steps(
    "Reapply the RBAC of the driver's release, or grant exactly this right. " +
      `${isLock ? 'The provisioner then leads within a minute' : 'The claim is retried automatically within 5 minutes'}.${
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
