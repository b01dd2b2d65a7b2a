import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { podRule } from '../lib/rule.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import { failureOf } from './mount-failure.ts';
import { podWords } from './told-volume.ts';

const protection = 'kubernetes.io/pvc-protection';

/** The kubelet looks at each claim before it mounts anything (desired_state_of_world_populator.go getPVCExtractPV, getPVSpec). */
export const mountPvcNotBound = podRule({
  cause: 'mount-pvc-not-bound',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'claimNotBound');
    const told = failure && /error processing PVC (?:\S+\/)?([^/\s:]+):/.exec(failure.text)?.[1];
    // The event stays on pods whose claim was bound a moment later.
    const waiting = p.claims.filter(
      (claim) => !claim.isBound && (claim.lookup.state === 'found' || (told !== undefined && claim.name === told)),
    );
    const [claim] = waiting.filter(({ name }) => name === told).concat(waiting);
    if (!claim || (claim.lookup.state !== 'found' && !failure)) return undefined;
    return {
      confidence: claim.lookup.state === 'found' ? 'certain' : 'likely',
      summary: `${podWords(p)} has a node, but pvc/${claim.name} is not bound: the kubelet waits until it is`,
      evidence: [
        failure ? eventSaid(p.pod, failure.event) : field(p.pod, 'spec.nodeName'),
        ...(claim.claim ? [field(claim.claim, 'status.phase')] : []),
      ],
      fix: [
        fix(
          'find out why the claim is not bound',
          `kubectl csi why ${claim.namespace ? `-n ${shellWord(claim.namespace)} ` : ''}pvc/${shellWord(claim.name)}`,
        ),
      ],
    };
  },
});

/** Without its protection a claim that is being deleted is as good as gone: the kubelet no longer mounts it. */
export const mountPvcDeleting = podRule({
  cause: 'mount-pvc-deleting',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'claimDeleting');
    const told = failure && /error processing PVC (?:\S+\/)?([^/\s:]+):/.exec(failure.text)?.[1];
    const doomed = p.claims.find(
      ({ claim }) =>
        claim?.metadata.deletionTimestamp !== undefined && !(claim.metadata.finalizers ?? []).includes(protection),
    );
    const hidden = doomed
      ? undefined
      : p.claims.find(({ name, lookup }) => name === told && lookup.state === 'unknown');
    const claim = doomed ?? hidden;
    if (!claim) return undefined;
    const said = failure ? [eventSaid(p.pod, failure.event)] : [];
    const proof = claim.claim
      ? [
          field(claim.claim, 'metadata.deletionTimestamp'),
          field(claim.claim, 'metadata.finalizers', (claim.claim.metadata.finalizers ?? []).join(', ') || 'none'),
        ]
      : [];
    const [first, ...rest] = [...proof, ...said];
    if (!first) return undefined;
    return {
      confidence: doomed ? 'certain' : 'likely',
      summary: `pvc/${claim.name} is being deleted and nothing protects it any more: the kubelet does not mount it for ${podWords(p)}`,
      evidence: [first, ...rest],
      fix: [
        fix(
          'make the claim again, and then the pod; a deletion cannot be taken back',
          `kubectl ${inNamespace(claim.namespace)}get pvc ${shellWord(claim.name)} -o yaml`,
        ),
        ...(claim.volumeName
          ? [
              fix(
                `to keep the data, set the policy of pv/${claim.volumeName} to Retain before the claim is gone`,
                `kubectl patch pv ${shellWord(claim.volumeName)} -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'`,
              ),
            ]
          : []),
      ],
    };
  },
});

/** The volume names another claim, or this name with the uid of a claim that is gone. */
export const mountPvClaimrefMismatch = podRule({
  cause: 'mount-pv-claimref-mismatch',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'claimReference');
    for (const { claim, volumeObject: volume } of volumeUsesOf(p)) {
      const uid = claim?.claim?.metadata.uid;
      if (!claim?.claim || !volume || uid === undefined) continue;
      const reference = volume.spec?.claimRef;
      if (reference?.uid === uid) continue;
      const holder = reference?.name ? `${reference.namespace ?? ''}/${reference.name}` : undefined;
      const isNamesake = reference?.name === claim.name && (reference.namespace ?? '') === claim.namespace;
      const whose =
        holder === undefined
          ? 'names no claim'
          : isNamesake
            ? 'belongs to an earlier claim of the same name'
            : `belongs to pvc ${holder}`;
      return {
        summary: `pvc/${claim.name} is bound to pv/${volume.metadata.name}, but that volume ${whose}: the kubelet refuses to mount it`,
        evidence: [
          field(volume, 'spec.claimRef.uid', reference?.uid ?? 'not set'),
          field(claim.claim, 'metadata.uid'),
          ...(failure ? [eventSaid(p.pod, failure.event)] : []),
        ],
        fix: [
          fix(
            'look at both sides first: who should have the volume?',
            `kubectl get pv ${shellWord(volume.metadata.name)} -o jsonpath='{.spec.claimRef}'`,
          ),
          ...(holder === undefined || isNamesake
            ? [
                fix(
                  "if the volume is this claim's, write the claim's uid into the claimRef",
                  `kubectl patch pv ${shellWord(volume.metadata.name)} --type merge -p '${JSON.stringify({ spec: { claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace: claim.namespace, name: claim.name, uid } } })}'`,
                  'disruptive',
                ),
              ]
            : []),
          fix(
            'or make the claim again, so that it gets a volume of its own',
            `kubectl ${inNamespace(claim.namespace)}get pvc ${shellWord(claim.name)} -o yaml`,
            'disruptive',
          ),
        ],
      };
    }
    if (!failure) return undefined;
    const hidden = volumeUsesOf(p).find(
      (use) => use.volume?.state === 'unknown' || use.claim?.lookup.state === 'unknown',
    );
    if (!hidden) return undefined;
    return {
      confidence: 'likely',
      summary: `a volume of ${podWords(p)} does not belong to the claim that names it: the kubelet refuses to mount it`,
      evidence: [eventSaid(p.pod, failure.event)],
      fix: [
        fix(
          'compare the claimRef of the volume with the uid of the claim',
          `kubectl ${inNamespace(p.pod.metadata.namespace)}get pvc ${shellWord(hidden.claim?.name ?? '')} -o jsonpath='{.metadata.uid} {.spec.volumeName}'`,
        ),
      ],
    };
  },
});
