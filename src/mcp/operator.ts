import type { ConnectionValues } from '../cli/connection-flags.ts';
import type { SourceValues } from '../cli/source-flags.ts';
import type { LogUse } from '../core/engine/logs/wants-logs.ts';

/** What the operator fixed when the server was started. No request can change any of it. */
export interface Operator extends SourceValues, ConnectionValues {
  /** The namespace of a request that names none. */
  readonly namespace?: string | undefined;
  /** A request may choose another context of the kubeconfig. */
  readonly allowsContexts: boolean;
  /** Absent: no log is read. */
  readonly logUse?: LogUse;
}
