import { serverError, tooManyRequests, unauthorized } from './status.ts';

/** Ways for the server to misbehave, so that clients can be tested against them. Paths include the query. */
export interface Faults {
  /** 403 in the server's words; namespace is undefined for a cluster-wide request, a subresource is `Pod/exec`. */
  readonly deny?: (kind: string, verb: string, namespace: string | undefined) => boolean;
  /** 401 unless the request carries this bearer token. */
  readonly token?: string;
  /** 429 with Retry-After for the first requests, of all or of these paths. */
  readonly tooManyRequests?: { readonly first: number; readonly retryAfterSeconds?: number; readonly paths?: RegExp };
  /** 500, or another code, for the first requests, of all or of these paths. */
  readonly serverErrors?: { readonly first: number; readonly code?: number; readonly paths?: RegExp };
  /**
   * 410 for a token that was returned with this page (1 is the first) or a later one; once unless `times` is larger.
   */
  readonly expireContinue?: { readonly afterPages: number; readonly times?: number };
  /** The first watches that continue from a version get the answer that it is too old. */
  readonly expireWatches?: number;
  /** Never answered. */
  readonly hang?: Pick<RegExp, 'test'>;
  /** The connection is cut without an answer. */
  readonly disconnect?: RegExp;
  /** Answered by something that is no API server, such as a login page. */
  readonly html?: RegExp;
  readonly latencyMs?: number | ((path: string) => number);
}

type Disruption = 'hang' | 'disconnect' | 'html' | undefined;

/** Counts what has been inflicted so far. */
export class FaultPlan {
  readonly #faults: Faults;
  #throttled = 0;
  #broken = 0;
  #expired = 0;
  #expiredWatches = 0;

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  latency(path: string): number {
    const { latencyMs = 0 } = this.#faults;
    return typeof latencyMs === 'number' ? latencyMs : latencyMs(path);
  }

  disruption(path: string): Disruption {
    const { hang, disconnect, html } = this.#faults;
    if (hang?.test(path) === true) return 'hang';
    if (disconnect?.test(path) === true) return 'disconnect';
    return html?.test(path) === true ? 'html' : undefined;
  }

  /** Throws what the request must be refused with, if anything. */
  admit(path: string, authorization: string | undefined): void {
    const { token, tooManyRequests: throttle, serverErrors } = this.#faults;
    if (token !== undefined && authorization !== `Bearer ${token}`) throw unauthorized();
    if (throttle !== undefined && this.#throttled < throttle.first && throttle.paths?.test(path) !== false) {
      this.#throttled += 1;
      throw tooManyRequests(throttle.retryAfterSeconds ?? 1);
    }
    if (serverErrors !== undefined && this.#broken < serverErrors.first && serverErrors.paths?.test(path) !== false) {
      this.#broken += 1;
      throw serverError(serverErrors.code ?? 500);
    }
  }

  denies(kind: string, verb: string, namespace: string | undefined): boolean {
    return this.#faults.deny?.(kind, verb, namespace) === true;
  }

  expiresContinue(pages: number): boolean {
    const fault = this.#faults.expireContinue;
    if (fault === undefined || pages < fault.afterPages || this.#expired >= (fault.times ?? 1)) return false;
    this.#expired += 1;
    return true;
  }

  expiresWatch(): boolean {
    return this.#expiredWatches++ < (this.#faults.expireWatches ?? 0);
  }
}
