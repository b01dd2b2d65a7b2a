import { objectRule } from '../../lib/rule.ts';
import type { Explanation } from '../../lib/rule.ts';
import { attacherHealth } from '../../attach/attacher-health.ts';

/** The same cause as for an attachment, asked before there is one. That nobody finds an attacher proves nothing: some drivers attach by other means. */
export const attacherNotRunningOfDriver = objectRule('CSIDriver', {
  cause: 'attach-attacher-not-running',
  stage: 'attach',
  severity: 'blocking',
  explain(d): Explanation | undefined {
    const health = attacherHealth(d.ask, d.name);
    const [first, ...more] = health.evidence;
    if (health.state !== 'dead' || !first) return undefined;
    return {
      about: d.name,
      summary: `the attacher of ${d.name} ${health.words}`,
      evidence: [first, ...more],
      fix: health.fix,
    };
  },
});
