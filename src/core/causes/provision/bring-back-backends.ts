import { shellWord } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Fix } from '../../report/report.ts';
import { steps } from '../lib/steps.ts';
import { askedText } from './asked-of-class.ts';
import { senseFix } from './driver-answer.ts';
import type { ProvisionError } from './provision-error.ts';
import { controllerOf, provisionerOf } from './provisioner.ts';

/** Trident before 19.07 has no objects in the cluster; its own program shows the backends of all versions. */
export function bringBackBackends(c: PresentClaim, error: ProvisionError): Fix[] {
  const asked = askedText(c);
  const fixes = senseFix(c, error).map((each) => ({
    ...each,
    text: asked === '' ? each.text : each.text.replace('what the class asks for', `what the class asks for (${asked})`),
  }));
  const provisioner = provisionerOf(c);
  if (provisioner?.name !== 'csi.trident.netapp.io' && provisioner?.name !== 'netapp.io/trident') return fixes;
  const { leader, pods } = controllerOf(c, provisioner);
  const namespace = (leader ?? pods.items[0])?.metadata.namespace;
  const place = shellWord(namespace ?? 'trident');
  return fixes.map(({ text }) =>
    steps(
      `${text} The commands show the state of each, and what the class demands${namespace === undefined ? ' (in namespace trident, where it is usually installed)' : ''}.`,
      [
        `tridentctl -n ${place} get backend -o wide`,
        `tridentctl -n ${place} get storageclass ${shellWord(c.class.name)} -o json`,
      ],
    ),
  );
}
