import { notAcceptable } from './status.ts';

/** The form in which an answer is wanted. */
export type Form = 'object' | 'table' | 'partialObjectMetadata' | 'partialObjectMetadataList' | 'discovery';

export interface Wanted {
  readonly form: Form;
  /** The requested version of the meta.k8s.io or apidiscovery.k8s.io group. */
  readonly version: string;
}

interface Clause {
  readonly mediaType: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly quality: number;
}

const transforms: Readonly<
  Record<string, { readonly form: Form; readonly group: string; readonly versions: readonly string[] }>
> = {
  Table: { form: 'table', group: 'meta.k8s.io', versions: ['v1', 'v1beta1'] },
  PartialObjectMetadata: { form: 'partialObjectMetadata', group: 'meta.k8s.io', versions: ['v1', 'v1beta1'] },
  PartialObjectMetadataList: { form: 'partialObjectMetadataList', group: 'meta.k8s.io', versions: ['v1', 'v1beta1'] },
  APIGroupDiscoveryList: { form: 'discovery', group: 'apidiscovery.k8s.io', versions: ['v2', 'v2beta1'] },
};

/** The first clause of an Accept header that this server can serve; it speaks only JSON. */
export function negotiate(accept: string, offered: readonly Form[]): Wanted {
  for (const clause of clausesOf(accept)) {
    if (!/^(application\/json|application\/\*|\*\/\*)$/.test(clause.mediaType)) continue;
    const as = clause.parameters['as'];
    if (as === undefined) return { form: 'object', version: 'v1' };
    const transform = transforms[as];
    const version = clause.parameters['v'] ?? '';
    if (
      transform?.group === clause.parameters['g'] &&
      transform?.versions.includes(version) === true &&
      offered.includes(transform.form)
    ) {
      return { form: transform.form, version };
    }
  }
  throw notAcceptable('only the following media types are accepted: application/json');
}

function clausesOf(accept: string): readonly Clause[] {
  const text = accept.trim() === '' ? '*/*' : accept;
  return text
    .split(',')
    .map((part): Clause => {
      const [mediaType = '', ...rest] = part.split(';').map((piece) => piece.trim());
      const parameters = Object.fromEntries(
        rest.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
      );
      const quality = Number(parameters['q'] ?? '1');
      return { mediaType: mediaType.toLowerCase(), parameters, quality: Number.isFinite(quality) ? quality : 0 };
    })
    .filter((clause) => clause.quality > 0)
    .sort((left, right) => right.quality - left.quality);
}
