import type { Inquiry } from '../../graph/inquiry.ts';
import type { Volume } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import type { InvalidObject } from './driver-error/invalid-object.ts';
import { steps } from './steps.ts';

/** What the refusal means: the driver keeps a record of the volume in Kubernetes and could not change it. */
export function recordWords({ kind, name, path, isMissing }: InvalidObject): string {
  return (
    `The API server refuses to save ${kind} "${name}", the driver's own record: ` +
    `${isMissing ? `it lacks ${path}, which its CRD requires` : `its CRD does not allow the value of ${path}`}. ` +
    'The storage was not asked. Records from before an upgrade of the driver often do not fit the newer CRD.'
  );
}

/** Puts the named field right in the record of the driver. */
export function correctRecord(ask: Inquiry, refused: InvalidObject, volume: Volume | undefined, retry: string): Fix {
  // Only those at hand: the singular that is used otherwise is nearly always right.
  const definition = ask.graph
    .all('CustomResourceDefinition')
    .find(({ spec }) => spec?.group === refused.group && spec.names?.kind === refused.kind);
  const type = shellWord(`${definition?.spec?.names?.plural ?? refused.kind.toLowerCase()}.${refused.group}`);
  const isClusterWide = definition?.spec?.scope === 'Cluster';
  const value = valueFor(refused, volume);
  const isPlain = /^\w+(?:\.\w+)*$/.test(refused.path);
  const from =
    value === 'PLACEHOLDER_VALUE' ? '' : ' The value is taken from the volume; compare it with a newer record.';
  return steps(
    `${refused.isMissing ? 'Add' : 'Correct'} ${refused.path} in ${refused.kind} "${refused.name}"` +
      `${value === 'PLACEHOLDER_VALUE' ? " (PLACEHOLDER_VALUE: as in a record that a newer volume has, in the first line's output)" : ''}` +
      `${isClusterWide ? '' : "; PLACEHOLDER_NAMESPACE is in the first line's output"}.${from} ${retry} ` +
      'Other volumes from before the upgrade need the same.',
    [
      `kubectl get ${type}${isClusterWide ? '' : ' -A'}${value === 'PLACEHOLDER_VALUE' ? ' -o yaml' : ''}`,
      isPlain
        ? `kubectl ${isClusterWide ? '' : '-n PLACEHOLDER_NAMESPACE '}patch ${type} ${shellWord(refused.name)} --type=merge -p ${shellWord(JSON.stringify(nested(refused.path.split('.'), value)))}`
        : `kubectl ${isClusterWide ? '' : '-n PLACEHOLDER_NAMESPACE '}edit ${type} ${shellWord(refused.name)}`,
    ],
  );
}

function nested([first = '', ...rest]: readonly string[], value: string): object {
  return { [first]: rest.length === 0 ? value : nested(rest, value) };
}

/** A missing pattern of volume groups is the group that the volume is in: OpenEBS LVM since 0.6. */
function valueFor({ path, isMissing }: InvalidObject, volume: Volume | undefined): string {
  const attributes = Object.entries(volume?.spec?.csi?.volumeAttributes ?? {});
  const group = attributes.find(([key]) => /\bvol(?:ume)?_?group$/i.test(key))?.[1];
  return isMissing && /\bvg_?pattern$/i.test(path) && group !== undefined ? `^${group}$` : 'PLACEHOLDER_VALUE';
}
