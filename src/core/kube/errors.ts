/** Someone asked for something that cannot be: exit 2. */
export class UserError extends Error {
  override readonly name = 'UserError';
  /** What to do next, in one sentence. */
  readonly next: string | undefined;
  constructor(what: string, next?: string, options?: ErrorOptions) {
    super(what, options);
    this.next = next;
  }
}

/** The world around us is not as it must be (no kubeconfig, no server, no access): exit 4. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
  readonly next: string | undefined;
  constructor(what: string, next?: string, options?: ErrorOptions) {
    super(what, options);
    this.next = next;
  }
}
