import { attacherHealth, deadText } from '../attach/attacher-health.ts';
import { objectRule } from '../lib/rule.ts';

/**
 * The cause of an attachment, for a driver that has none yet. A driver without an attacher proves nothing: some attach
 * by other means.
 */
export const attacherNotRunningOfDriver = objectRule('CSIDriver', {
  cause: 'attach-attacher-not-running',
  stage: 'attach',
  severity: 'blocking',
  explain(d) {
    const health = attacherHealth(d.ask, d.name);
    const [first, ...more] = health.evidence;
    if (health.state !== 'dead' || !first) return undefined;
    return {
      about: d.name,
      summary: deadText(d.name, health),
      evidence: [first, ...more],
      fix: health.fix,
    };
  },
});
