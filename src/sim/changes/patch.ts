import { patchJson } from '../../core/kube/json-patch.ts';
import { mergeObjects } from '../../core/kube/merge-objects.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import { patchStrategic } from '../../core/kube/strategic-patch.ts';
import type { ServedKind } from '../served-kinds.ts';
import { ApiFailure, badRequest, unsupportedMediaType } from '../status.ts';

export const applyPatch = 'application/apply-patch+yaml';

/** Applies the patch of a request, in the way that its media type demands. */
export function patchObject(object: RawObject, body: Buffer, mediaType: string, served: ServedKind): RawObject {
  const patch = parse(body);
  switch (mediaType) {
    case 'application/merge-patch+json':
      return mergeObjects(object, patch) as RawObject;
    case 'application/strategic-merge-patch+json':
      if (served.custom)
        throw unsupportedMediaType(
          'the body of the request was in an unknown format - accepted media types include: ' +
            'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
        );
      return patchStrategic(object, patch) as RawObject;
    case 'application/json-patch+json': {
      const patched = Array.isArray(patch) ? patchJson(object, patch) : undefined;
      if (patched !== undefined) return patched;
      throw new ApiFailure(422, 'Invalid', 'the server rejected our request due to an error in our request');
    }
    default:
      throw unsupportedMediaType(
        'the body of the request was in an unknown format - accepted media types include: ' +
          'application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, ' +
          'application/apply-patch+yaml',
      );
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch (error) {
    throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : 'not JSON'}`);
  }
}
