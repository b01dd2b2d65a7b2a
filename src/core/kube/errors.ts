/**
 * The user asked for something that is not possible: exit code 2.
 * The message says what happened and why, `next` what to do. Both may be clauses: the program prints them as sentences.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly next: string | undefined;
  constructor(what: string, next?: string, options?: ErrorOptions) {
    super(what, options);
    this.next = next;
  }
}

/** Something outside of the program is missing (no kubeconfig, no server, no access): exit code 4. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
  readonly next: string | undefined;
  constructor(what: string, next?: string, options?: ErrorOptions) {
    super(what, options);
    this.next = next;
  }
}
