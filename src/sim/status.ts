import type { ServedKind } from './served-kinds.ts';

/** Anything but success, as the API server reports it: a Status object with its HTTP code. */
export class ApiFailure extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly continueToken: string | undefined;

  constructor(
    code: number,
    reason: string,
    message: string,
    more: { details?: Record<string, unknown>; continueToken?: string } = {},
  ) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = more.details;
    this.continueToken = more.continueToken;
  }

  get status(): Record<string, unknown> {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

const qualified = (served: ServedKind): string =>
  served.group === '' ? served.plural : `${served.plural}.${served.group}`;
const detailsOf = (served: ServedKind, name: string): Record<string, unknown> => ({
  ...(name === '' ? {} : { name }),
  ...(served.group === '' ? {} : { group: served.group }),
  kind: served.plural,
});

export function notFound(served: ServedKind, name: string): ApiFailure {
  return new ApiFailure(404, 'NotFound', `${qualified(served)} "${name}" not found`, {
    details: detailsOf(served, name),
  });
}

export function forbidden(
  served: ServedKind,
  user: string,
  verb: string,
  namespace: string | undefined,
  name: string,
  subresource = '',
): ApiFailure {
  const subject = name === '' ? qualified(served) : `${qualified(served)} "${name}"`;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const message =
    `${subject} is forbidden: User "${user}" cannot ${verb} resource ` +
    `"${served.plural}${subresource === '' ? '' : `/${subresource}`}" in API group "${served.group}" ${where}`;
  return new ApiFailure(403, 'Forbidden', message, { details: detailsOf(served, name) });
}

export function alreadyExists(served: ServedKind, name: string): ApiFailure {
  return new ApiFailure(409, 'AlreadyExists', `${qualified(served)} "${name}" already exists`, {
    details: detailsOf(served, name),
  });
}

export function conflict(served: ServedKind, name: string, why: string): ApiFailure {
  return new ApiFailure(409, 'Conflict', `Operation cannot be fulfilled on ${qualified(served)} "${name}": ${why}`, {
    details: detailsOf(served, name),
  });
}

/** Another client has changed the object since this one read it. */
export function outdated(served: ServedKind, name: string): ApiFailure {
  return conflict(
    served,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

/** One fault of an object: the field and what is wrong with it. */
export interface FieldFault {
  readonly field: string;
  readonly type: 'Forbidden' | 'Invalid value' | 'Required value';
  readonly message: string;
}

const faultReasons: Readonly<Record<FieldFault['type'], string>> = {
  Forbidden: 'FieldValueForbidden',
  'Invalid value': 'FieldValueInvalid',
  'Required value': 'FieldValueRequired',
};

export function invalid(served: ServedKind, name: string, faults: readonly FieldFault[]): ApiFailure {
  const words = faults.map(({ field, type, message }) => `${field}: ${type}${message === '' ? '' : `: ${message}`}`);
  const kind = served.group === '' ? served.kind : `${served.kind}.${served.group}`;
  const list = words.length === 1 ? words[0] : `[${words.join(', ')}]`;
  return new ApiFailure(422, 'Invalid', `${kind} "${name}" is invalid: ${list}`, {
    details: {
      name,
      ...(served.group === '' ? {} : { group: served.group }),
      kind: served.kind,
      causes: faults.map(({ field, type, message }) => ({
        reason: faultReasons[type],
        message: message === '' ? type : `${type}: ${message}`,
        field,
      })),
    },
  });
}

/** Admission refused it: a quota, a limit range, a namespace that is being deleted. */
export function refused(served: ServedKind, name: string, why: string): ApiFailure {
  return new ApiFailure(403, 'Forbidden', `${qualified(served)} "${name}" is forbidden: ${why}`, {
    details: detailsOf(served, name),
  });
}

export function unsupportedMediaType(message: string): ApiFailure {
  return new ApiFailure(415, 'UnsupportedMediaType', message);
}

export function podSecurityViolation(name: string, level: string, volumes: readonly string[]): ApiFailure {
  const named = volumes.map((volume) => `"${volume}"`).join(', ');
  return new ApiFailure(
    403,
    'Forbidden',
    `pods "${name}" is forbidden: violates PodSecurity "${level}:latest": ` +
      `hostPath volumes (volume${volumes.length === 1 ? '' : 's'} ${named})`,
    { details: { name, kind: 'pods' } },
  );
}

export function badRequest(message: string): ApiFailure {
  return new ApiFailure(400, 'BadRequest', message);
}

export function methodNotAllowed(): ApiFailure {
  return new ApiFailure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {
    details: {},
  });
}

export function notAcceptable(message: string): ApiFailure {
  return new ApiFailure(406, 'NotAcceptable', message);
}

/** The list can go on from the token in the answer, but no longer at the version it began with. */
export function continueExpired(continueToken: string): ApiFailure {
  return new ApiFailure(
    410,
    'Expired',
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
      'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
      'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
      'deleted between the time the first chunk was returned and now may show up in the list.',
    { continueToken },
  );
}

export function versionExpired(wanted: number, oldest: number): ApiFailure {
  return new ApiFailure(410, 'Expired', `too old resource version: ${wanted} (${oldest})`);
}

export function versionTooLarge(wanted: number, current: number): ApiFailure {
  return new ApiFailure(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}

export function tooManyRequests(retryAfterSeconds: number): ApiFailure {
  return new ApiFailure(
    429,
    'TooManyRequests',
    'the server has received too many requests and has asked us to try again later',
    { details: { retryAfterSeconds } },
  );
}

export function serverError(code: number): ApiFailure {
  if (code === 503)
    return new ApiFailure(503, 'ServiceUnavailable', 'the server is currently unable to handle the request');
  return internalError('etcdserver: request timed out', code);
}

export function internalError(cause: unknown, code = 500): ApiFailure {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new ApiFailure(code, 'InternalError', `Internal error occurred: ${message}`, {
    details: { causes: [{ message }] },
  });
}

export function unauthorized(): ApiFailure {
  return new ApiFailure(401, 'Unauthorized', 'Unauthorized');
}
