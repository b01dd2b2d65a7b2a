import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { isOthersClaim } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';
import { parseTime } from '../../kube/time.ts';

/** The scheduler never gives a new pod a claim that is on its way out (VolumeBinding PreFilter). */
export const podPvcTerminating = podRule({
  cause: 'pod-pvc-terminating',
  stage: 'claim',
  severity: 'blocking',
  explain(p) {
    if (p.isScheduled) return undefined;
    const c = p.claims.find(
      ({ claim }) => claim?.metadata.deletionTimestamp !== undefined && !isOthersClaim(p.pod, claim),
    );
    if (!c?.claim) return undefined;
    const { finalizers = [], deletionTimestamp } = c.claim.metadata;
    const holders = c.consumers.items.filter((pod) => pod.spec?.nodeName && pod.metadata.uid !== p.pod.metadata.uid);
    // Nobody keeps it: it will be gone in a moment, and may be made again.
    if (holders.length === 0 && p.now - (parseTime(deletionTimestamp) ?? 0) < 30_000) return undefined;
    const held =
      holders.length > 0
        ? `, held by ${holders.map((pod) => `pod/${pod.metadata.name}`).join(', ')}`
        : finalizers.length > 0
          ? `, held by ${finalizers.join(', ')}`
          : '';
    const said = p.schedulingMessage?.reasons.find(({ text }) => /is being deleted/i.test(text));
    return {
      about: `${c.namespace}/${c.name}`,
      summary: `pod/${p.pod.metadata.name} needs pvc/${c.name}, which is being deleted${held}: a new pod cannot use it any more`,
      evidence: [
        field(c.claim, 'metadata.deletionTimestamp', deletionTimestamp),
        field(c.claim, 'metadata.finalizers', finalizers.join(', ') || 'none'),
        ...holders.map((pod) => note(pod, `uses the claim on node ${pod.spec?.nodeName ?? ''}`)),
        ...(said ? [field(p.pod, 'status.conditions[PodScheduled].message', p.schedulingMessage?.raw)] : []),
      ],
      fix: [
        fix(
          'see what holds the claim, let its deletion end, then make it again: a deletion cannot be taken back',
          `kubectl ${inNamespace(c.namespace)}describe pvc ${shellWord(c.name)}`,
        ),
        ...holders.map((pod) =>
          fix(
            `data-loss: the claim goes as soon as pod/${pod.metadata.name} is gone, and with reclaim policy Delete its volume as well: save the data first`,
            `kubectl ${inNamespace(c.namespace)}delete pod ${shellWord(pod.metadata.name)}`,
            'data-loss',
          ),
        ),
      ],
    };
  },
});
