import { openSync, closeSync } from 'node:fs';
import { EnvironmentError } from '../../core/kube/errors.ts';
import { withoutLogin } from './address.ts';
import { certificatesIn, isCertificate, readPem } from './pem.ts';
import type { ExecEntry } from './kubeconfig-content.ts';
import type { Target } from './target.ts';

/** What is wrong, and what to do. */
type Problem = readonly [what: string, next: string];

/**
 * Refuses what client-go refuses before it connects (clientcmd, validateClusterInfo and validateAuthInfo), so that no
 * setting is silently dropped.
 */
export function refuseUnusable(target: Target, isSecure: boolean): void {
  const problem =
    clusterProblem(target, isSecure) ?? userProblem(target, isSecure) ?? execProblem(target, target.user.exec);
  if (problem) throw new EnvironmentError(...problem);
}

const isSet = (value: string | undefined): value is string => value !== undefined && value !== '';

function clusterProblem({ cluster, clusterName }: Target, isSecure: boolean): Problem | undefined {
  const whose = isSet(clusterName) ? `the cluster ${clusterName}` : 'the cluster';
  const { 'certificate-authority': file, 'certificate-authority-data': data, 'proxy-url': proxy } = cluster;
  if (isSet(file) && isSet(data))
    return [
      `${whose} has both certificate-authority and certificate-authority-data`,
      'Delete one of them from the kubeconfig',
    ];
  if (isSet(file) && !isReadable(file))
    return [
      `the certificate authority ${file} of ${whose} cannot be read`,
      'Correct the path in the kubeconfig or flag',
    ];
  if (isSet(proxy) && !/^(https?|socks5):\/\/[^/]/i.test(proxy))
    return [
      `the proxy-url ${JSON.stringify(withoutLogin(proxy))} of ${whose} is not an http, https or socks5 address`,
      'Write it as http://HOST:PORT',
    ];
  if (isSecure && cluster['insecure-skip-tls-verify'] === true && (isSet(file) || isSet(data)))
    return [
      `${whose} has a certificate authority and insecure-skip-tls-verify: the server would not be verified against it`,
      'Delete insecure-skip-tls-verify or the certificate authority',
    ];
  const authority = isSecure ? readPem(file, data, 'certificate authority') : undefined;
  if (authority !== undefined && authority.length > 0 && !certificatesIn(authority).some(isCertificate))
    return [
      `the certificate authority of ${whose} is not a PEM certificate`,
      'Fix certificate-authority-data in the kubeconfig, or pass --certificate-authority',
    ];
  return undefined;
}

function userProblem({ user, userName }: Target, isSecure: boolean): Problem | undefined {
  const whose = isSet(userName) ? `the user ${userName}` : 'the user';
  const hasLogin = isSet(user.username) || isSet(user.password);
  if (hasLogin && (isSet(user.token) || (isSecure && isSet(user.username) && isSet(user.tokenFile))))
    return [
      `${whose} has both a token and a user name with a password`,
      'Delete one of them, or choose another --user',
    ];
  const certificate = certificateProblem(user, whose);
  if (certificate) return certificate;
  if (user.exec && user['auth-provider'])
    return [`${whose} has both a credential plugin and an auth provider`, 'Delete the auth-provider'];
  const isMore =
    isSet(user['as-uid']) ||
    (user['as-groups'] ?? []).length > 0 ||
    Object.keys(user['as-user-extra'] ?? {}).length > 0;
  if (isMore && !isSet(user.as)) return ['a group, uid or extra cannot be impersonated without a user', 'Add --as'];
  return undefined;
}

function certificateProblem(user: Target['user'], whose: string): Problem | undefined {
  const certificate = [user['client-certificate'], user['client-certificate-data']].filter(isSet);
  const key = [user['client-key'], user['client-key-data']].filter(isSet);
  if (certificate.length === 0) return undefined;
  if (certificate.length > 1 || key.length > 1)
    return [
      `${whose} has a client ${certificate.length > 1 ? 'certificate' : 'key'} both in a file and as data`,
      'Delete one of them from the kubeconfig',
    ];
  if (key.length === 0)
    return [
      `${whose} has a client certificate but no client key`,
      'Add the key to the kubeconfig, or pass both --client-certificate and --client-key',
    ];
  const [unreadable] = [user['client-certificate'], user['client-key']]
    .filter(isSet)
    .filter((path) => !isReadable(path));
  return unreadable === undefined
    ? undefined
    : [`the client certificate or key ${unreadable} of ${whose} cannot be read`, 'Correct the path'];
}

function execProblem({ userName }: Target, exec: ExecEntry | undefined): Problem | undefined {
  if (!exec) return undefined;
  const whose = `the credential plugin of the user ${userName ?? ''}`.trimEnd();
  const next = 'Fix the exec section of the kubeconfig';
  if (!isSet(exec.command)) return [`${whose} has no command`, next];
  if (!isSet(exec.apiVersion)) return [`${whose} has no apiVersion`, next];
  if ((exec.env ?? []).some(({ name }) => !isSet(name))) return [`${whose} has a variable without a name`, next];
  const mode = interactiveMode(exec);
  if (mode === '') return [`${whose} has no interactiveMode, which ${exec.apiVersion} requires`, next];
  if (!['Never', 'IfAvailable', 'Always'].includes(mode))
    return [`${whose} has the unknown interactiveMode ${JSON.stringify(mode)}`, 'Use Never, IfAvailable or Always'];
  return undefined;
}

/** Before v1 the mode could be left out (clientcmd/api/v1, SetDefaults_ExecConfig). */
export function interactiveMode({ interactiveMode: mode = '', apiVersion = '' }: ExecEntry): string {
  return mode === '' && /\/v1(alpha|beta)1$/.test(apiVersion) ? 'IfAvailable' : mode;
}

function isReadable(path: string): boolean {
  try {
    closeSync(openSync(path, 'r'));
    return true;
  } catch {
    return false;
  }
}
