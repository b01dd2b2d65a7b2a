import { basename } from 'node:path';

interface CaptureNaming {
  readonly source: { readonly name: string; readonly isLive: boolean };
  readonly takenAt: string;
  readonly context?: string | undefined;
  readonly namespace?: string | undefined;
  /** The name then holds nothing from the cluster. */
  readonly isAnonymous?: boolean;
}

const longestName = 60;

/** The file name of a capture unless one is given: `csi-capture-CONTEXT-TIME.json.gz`. */
export function captureFileName({ source, takenAt, context, namespace, isAnonymous }: CaptureNaming): string {
  const name = source.isLive
    ? (context ?? (namespace || source.name))
    : basename(source.name).replace(/(?:\.json|\.ya?ml)?(?:\.gz)?$/, '');
  const safeName = name
    .replaceAll(/[^A-Za-z0-9.-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, longestName);
  const time = takenAt.replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
  const parts = isAnonymous === true || safeName === '' ? [] : [safeName];
  return ['csi-capture', ...parts, time].join('-') + '.json.gz';
}
