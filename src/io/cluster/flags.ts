import { parseGoDuration } from '../../core/kube/duration.ts';
import { UserError } from '../../core/kube/errors.ts';
import type { ReadCount, RequestTrace } from './reader.ts';

/** What the user said about the connection; each means what it means in kubectl. */
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

/** The surroundings of a connection, passed in so that tests bring their own. */
export interface ConnectionEnvironment {
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** Where a pod finds its service account. */
  readonly serviceAccountDirectory?: string;
  readonly trace?: (request: RequestTrace) => void;
  /** What came with the answers. */
  readonly onRead?: (what: ReadCount) => void;
  /** What a credential plugin says to the user while it runs, such as a login address. */
  readonly onPluginMessage?: (text: string) => void;
}

/** Milliseconds of a Go duration or a bare number of seconds; undefined for none and for 0, which means no limit. */
export function requestTimeout(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  // client-go (tools/clientcmd, ParseTimeout) takes whole seconds without a unit, and nothing else.
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : parseGoDuration(text);
  if (milliseconds === undefined)
    throw new UserError(
      `--request-timeout ${JSON.stringify(text)} is not a duration`,
      'write it as 30s, 2m or a number of seconds',
    );
  return milliseconds === 0 ? undefined : milliseconds;
}
