import { randomBytes } from 'node:crypto';
import type { RawObject } from '../../core/kube/snapshot.ts';
import { textAt } from '../fields.ts';
import { apiVersionOf } from '../request-path.ts';
import type { ResourcePath } from '../request-path.ts';
import { badRequest, invalid, unsupportedMediaType } from '../status.ts';
import { isProtobuf, readProtobuf } from './protobuf.ts';

type Json = Readonly<Record<string, unknown>>;

/** The body of a request as an object of JSON, whether it came as JSON or in protobuf. */
export function readJson(body: Buffer): Json {
  if (isProtobuf(body)) {
    const decoded = readProtobuf(body);
    if (decoded !== undefined) return decoded;
    throw unsupportedMediaType(
      'this is the demo cluster of kubectl csi, which reads objects of this kind in JSON only: ' +
        'add --dry-run=client -o yaml and pipe the output to kubectl apply -f -',
    );
  }
  try {
    const value: unknown = JSON.parse(body.toString());
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  } catch {
    // Reported below, as for everything else that is no object.
  }
  throw badRequest('the object provided is unrecognized (must be of type Object)');
}

/** Kubernetes names are DNS subdomains, except those of RBAC, which may be any path segment. */
const nameForm = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The object of a request, with the kind, namespace and name of the path. */
export function readObject(body: Json, { served, version, namespace, name }: ResourcePath): RawObject {
  const apiVersion = apiVersionOf(served.group, version);
  const kind = textAt(body, 'kind');
  if (kind !== served.kind || textAt(body, 'apiVersion') !== apiVersion)
    throw badRequest(
      `${kind || 'an object without a kind'} in version ${JSON.stringify(textAt(body, 'apiVersion'))} cannot ` +
        `be handled as a ${served.kind}: the path is for ${apiVersion}`,
    );
  const given = textAt(body, 'metadata', 'namespace');
  if (given !== '' && given !== (namespace ?? ''))
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  const own = textAt(body, 'metadata', 'name');
  if (name !== '' && own !== '' && own !== name)
    throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
  const metadata = {
    ...(body['metadata'] as Json | undefined),
    name: name || own || generatedName(textAt(body, 'metadata', 'generateName')),
    ...(served.namespaced && namespace !== undefined ? { namespace } : {}),
  };
  if (metadata.name === '')
    throw invalid(served, '', [
      { field: 'metadata.name', type: 'Required value', message: 'name or generateName is required' },
    ]);
  if (!nameForm.test(metadata.name) && served.group !== 'rbac.authorization.k8s.io')
    throw invalid(served, metadata.name, [
      {
        field: 'metadata.name',
        type: 'Invalid value',
        message:
          `"${metadata.name}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, ` +
          `'-' or '.', and must start and end with an alphanumeric character`,
      },
    ]);
  return { ...body, apiVersion, kind, metadata } as RawObject;
}

function generatedName(prefix: string): string {
  return prefix === '' ? '' : prefix + randomSuffix();
}

/** Five characters without vowels, as the names of pods end in. */
export function randomSuffix(): string {
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  return [...randomBytes(5)].map((byte) => letters[byte % letters.length]).join('');
}
