import { parseGoDuration } from '../../core/kube/duration.ts';
import { UserError } from '../../core/kube/errors.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import type { ReadCount, RequestTrace } from './reader.ts';

/** The connection flags, each with its meaning in kubectl. */
export interface ConnectionFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly server?: string;
  readonly token?: string;
  readonly as?: string;
  readonly asGroup?: readonly string[];
  readonly asUid?: string;
  readonly requestTimeout?: string;
  readonly certificateAuthority?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly chunkSize?: number;
  readonly namespace?: string;
}

/** The environment of a connection, passed in so that tests can bring their own. */
export interface ConnectionEnvironment {
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** Where a pod finds its service account. */
  readonly serviceAccountDirectory?: string;
  readonly trace?: (request: RequestTrace) => void;
  /** Called with the contents of each answer. */
  readonly onRead?: (what: ReadCount) => void;
  /** Called with what a credential plugin prints for the user, such as a login address. */
  readonly onPluginMessage?: (text: string) => void;
  /** How long a credential plugin without a terminal may take. */
  readonly pluginLimitMs?: number;
  /** Whether standard input is a terminal, on which a credential plugin may ask. */
  readonly hasTerminal?: boolean;
  /** The connection is one of several, so that nothing may ask on the terminal. */
  readonly isOneOfMany?: boolean;
  /** The kubeconfig, if it was read before. */
  readonly kubeconfig?: Kubeconfig;
}

/** Milliseconds of a Go duration or of a bare number of seconds; undefined for 0 and for none, which mean no limit. */
export function requestTimeout(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  // client-go (tools/clientcmd, ParseTimeout) takes whole seconds without a unit, and nothing else.
  const milliseconds = /^\+?\d+$/.test(text) ? Number(text) * 1000 : parseGoDuration(text);
  if (milliseconds === undefined)
    throw new UserError(
      `--request-timeout ${JSON.stringify(text)} is not a duration`,
      'Write for example 30s, 2m or a number of seconds',
    );
  // A timer of Node counts 31 bits; a longer one would fire at once.
  return milliseconds === 0 ? undefined : Math.min(milliseconds, 2 ** 31 - 1);
}
