import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { closestVolumeRule, remakeClaim } from './closest-volume.ts';

/** component-helpers FindMatchingVolume skips volumes whose labels the selector of the claim does not match. */
export const pvSelectorMismatch = closestVolumeRule('pv-selector-mismatch', 'selector', {
  describe: () => `has labels that do not meet the claim's selector`,
  evidence: (c) => [field(c.claim, 'spec.selector')],
  advise: (c, volume) => [
    labelVolume(c, volume),
    remakeClaim(c, 'or delete the claim and make it again without the selector'),
  ],
});

/** Only matchLabels name the labels to set; for matchExpressions the user has to look. */
function labelVolume(c: PresentClaim, volume: Volume): Fix {
  const { name, labels } = volume.metadata;
  const missing = Object.entries(c.claim.spec?.selector?.matchLabels ?? {})
    .filter(([key, value]) => labels?.[key] !== value)
    .map(([key, value]) => shellWord(`${key}=${value}`));
  const text = `label the volume as the selector wants, if ${name} is the one that is meant`;
  return missing.length > 0
    ? fix(text, `kubectl label pv ${shellWord(name)} ${missing.join(' ')} --overwrite`)
    : fix(`look at the labels, and ${text}`, `kubectl get pv ${shellWord(name)} --show-labels`);
}
