import { eventSaid } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Evidence } from '../../report/report.ts';
import type { MountFailure } from './mount-failure.ts';

/** The kubelet's event, quoted; nothing where the kubelet has not reported a failure. */
export function failureEvidence(p: PodCase, failure: MountFailure | undefined): Evidence[] {
  return failure ? [eventSaid(p.pod, failure.event)] : [];
}
