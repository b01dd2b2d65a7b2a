import type { Finding, ObjectRef, Report, ReportItem } from '../../src/core/report/report.ts';

const takenAt = '2026-05-04T03:14:00Z';

export function claim(name: string, namespace = 'shop'): ObjectRef {
  return { kind: 'PersistentVolumeClaim', namespace, name, uid: `uid-of-${name}` };
}

export function reportOf(items: readonly ReportItem[], more: Partial<Report> = {}): Report {
  const count = (status: ReportItem['status']): number => items.filter((item) => item.status === status).length;
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Report',
    takenAt,
    source: { type: 'cluster', name: 'production' },
    items,
    causes: foldsOf(items),
    summary: {
      blocked: count('blocked'),
      waiting: count('waiting'),
      healthy: count('healthy'),
      unknown: count('unknown'),
    },
    ...more,
  };
}

function foldsOf(items: readonly ReportItem[]): Report['causes'] {
  const groups = Map.groupBy(
    items.filter((item) => item.cause !== undefined),
    (item) => item.cause as string,
  );
  return [...groups].map(([cause, group]) => ({
    cause,
    summary: group[0]?.summary ?? '',
    targets: group.map((item) => item.target),
  }));
}

const full: Finding = {
  cause: 'sched-max-volume-count',
  stage: 'schedule',
  role: 'cause',
  severity: 'blocking',
  confidence: 'certain',
  summary: 'all 3 nodes hold 25 of 25 ebs.csi.aws.com volumes',
  evidence: ['node-a', 'node-b', 'node-c'].map((name) => ({
    object: { kind: 'CSINode', name },
    path: 'spec.drivers[ebs.csi.aws.com].allocatable.count',
    value: '25; 25 attachments',
  })),
  fix: [
    { text: 'see which volumes hold the slots', command: 'kubectl csi get attachments', risk: 'safe' },
    {
      text: 'add a node to the pool, or move pods with volumes off a full node',
      command: 'kubectl drain node-a --ignore-daemonsets --delete-emptydir-data',
      risk: 'disruptive',
    },
  ],
};

/** A claim behind a pod that no node can take. */
export const noSlots: ReportItem = {
  target: claim('data-0'),
  status: 'blocked',
  stage: 'schedule',
  cause: 'sched-max-volume-count',
  summary: full.summary,
  stages: [
    {
      stage: 'claim',
      state: 'passed',
      since: '2026-05-04T03:00:00Z',
      note: 'class fast (named) → ebs.csi.aws.com, 100Gi ReadWriteOnce',
    },
    { stage: 'schedule', state: 'blocked', since: '2026-05-04T03:00:00Z', note: 'pod/web-0: no node fits' },
    { stage: 'provision', state: 'unreached', note: 'waits for schedule' },
    { stage: 'bind', state: 'unreached' },
    { stage: 'attach', state: 'unreached' },
    { stage: 'mount', state: 'unreached' },
  ],
  findings: [
    full,
    {
      ...full,
      cause: 'pod-unschedulable',
      role: 'consequence',
      severity: 'warning',
      summary: 'pod/web-0 stays Pending until a slot is free',
      evidence: [],
      fix: [],
    },
    {
      ...full,
      cause: 'sc-reclaim-delete',
      role: 'advice',
      severity: 'info',
      confidence: 'likely',
      summary: 'class fast deletes the disk with the claim',
      evidence: [{ object: { kind: 'StorageClass', name: 'fast' }, path: 'reclaimPolicy', value: 'Delete' }],
      fix: [],
    },
  ],
  unread: [],
};

/** A claim with an error message as drivers write them, and a fix that loses data. */
export const wrongParameters: ReportItem = {
  target: claim('orders'),
  status: 'blocked',
  stage: 'provision',
  cause: 'provision-invalid-argument',
  summary: 'the driver ebs.csi.aws.com refuses the parameters of class fast',
  stages: [
    { stage: 'claim', state: 'passed', note: 'class fast (default), 8Gi ReadWriteOnce' },
    {
      stage: 'provision',
      state: 'blocked',
      since: '2026-05-04T01:02:00Z',
      note: 'ebs.csi.aws.com answers InvalidArgument',
    },
    { stage: 'bind', state: 'unreached' },
    { stage: 'schedule', state: 'unreached' },
    { stage: 'attach', state: 'notApplicable' },
    { stage: 'mount', state: 'unreached' },
  ],
  findings: [
    {
      cause: 'provision-invalid-argument',
      stage: 'provision',
      role: 'cause',
      severity: 'blocking',
      confidence: 'likely',
      summary: 'the driver ebs.csi.aws.com refuses the parameters of class fast',
      evidence: [
        {
          object: claim('orders'),
          path: 'event ProvisioningFailed',
          value:
            'failed to provision volume with StorageClass "fast": rpc error: code = InvalidArgument desc = Could not parse invalid iops: strconv.ParseInt: parsing "3k": invalid syntax',
          at: '2026-05-04T03:11:00Z',
        },
        { object: { kind: 'StorageClass', name: 'fast' }, path: 'parameters.iops', value: '3k' },
        {
          object: { kind: 'Pod', namespace: 'kube-system', name: 'ebs-csi-controller-0' },
          path: 'status.phase',
          value: 'Running',
        },
      ],
      fix: [
        {
          text: 'write iops as a number; a class cannot be edited, so make it anew',
          command:
            'kubectl get storageclass fast -o yaml | sed "s/iops: 3k/iops: \\"3000\\"/" | kubectl replace --force -f -',
          risk: 'disruptive',
        },
        {
          text: 'delete the claim and make it with another class',
          command: 'kubectl delete pvc orders -n shop',
          risk: 'data-loss',
        },
      ],
    },
  ],
  unread: [],
};

export const waitsForPod: ReportItem = {
  target: claim('spare'),
  status: 'waiting',
  stage: 'schedule',
  cause: 'wffc-no-consumer',
  summary: 'waits for a pod that uses it, as class fast asks',
  stages: [
    { stage: 'claim', state: 'passed', note: 'class fast (default)' },
    { stage: 'schedule', state: 'waiting', since: '2026-05-01T03:14:00Z', note: 'no pod uses the claim' },
    { stage: 'provision', state: 'unreached' },
    { stage: 'bind', state: 'unreached' },
  ],
  findings: [
    {
      cause: 'wffc-no-consumer',
      stage: 'schedule',
      role: 'cause',
      severity: 'info',
      confidence: 'certain',
      summary: 'waits for a pod that uses it, as class fast asks',
      evidence: [
        { object: { kind: 'StorageClass', name: 'fast' }, path: 'volumeBindingMode', value: 'WaitForFirstConsumer' },
      ],
      fix: [{ text: 'start the pod that uses it', risk: 'safe' }],
    },
  ],
  unread: [],
};

export const notReadable: ReportItem = {
  target: claim('logs'),
  status: 'unknown',
  stage: 'attach',
  summary: 'whether the volume is attached could not be seen',
  stages: [
    { stage: 'claim', state: 'passed' },
    { stage: 'attach', state: 'unknown' },
    { stage: 'mount', state: 'unreached' },
  ],
  findings: [],
  unread: [
    { resource: 'csinodes', verb: 'list', reason: 'forbidden', needed: 'whether the driver runs on node-a' },
    { resource: 'volumesnapshots', verb: 'get', reason: 'absent', needed: 'whether the snapshot is ready' },
    {
      resource: 'volumeattachments',
      verb: 'get',
      reason: 'failed',
      needed: 'whether the volume is attached to node-a',
      message: 'connection reset by peer',
    },
  ],
};

export function healthyClaim(name: string, namespace = 'shop'): ReportItem {
  return {
    target: claim(name, namespace),
    status: 'healthy',
    summary: 'bound to pv/vol-1 and mounted in pod/web-1',
    stages: [
      { stage: 'claim', state: 'passed', note: 'class fast' },
      { stage: 'bind', state: 'passed', note: 'pv/vol-1' },
      { stage: 'mount', state: 'passed' },
    ],
    findings: [],
    unread: [],
  };
}

/** One of many claims behind a driver whose controller is dead. */
export function orphaned(name: string, namespace = 'shop'): ReportItem {
  const summary = 'no controller of ebs.csi.aws.com is running, so nothing provisions its volumes';
  return {
    target: claim(name, namespace),
    status: 'blocked',
    stage: 'provision',
    cause: 'provisioner-down',
    summary,
    stages: [
      { stage: 'claim', state: 'passed', note: 'class fast' },
      {
        stage: 'provision',
        state: 'blocked',
        since: '2026-05-04T03:00:00Z',
        note: 'nobody answers for ebs.csi.aws.com',
      },
      { stage: 'bind', state: 'unreached' },
    ],
    findings: [
      {
        cause: 'provisioner-down',
        stage: 'provision',
        role: 'cause',
        severity: 'blocking',
        confidence: 'certain',
        summary,
        evidence: [
          {
            object: { kind: 'Lease', namespace: 'kube-system', name: 'ebs-csi-aws-com' },
            path: 'spec.renewTime',
            value: '2026-05-04T01:00:00Z',
            at: '2026-05-04T01:00:00Z',
          },
          {
            object: { kind: 'Deployment', namespace: 'kube-system', name: 'ebs-csi-controller' },
            path: 'status.readyReplicas',
            value: '0',
          },
        ],
        fix: [
          {
            text: 'see why the controller does not run',
            command: 'kubectl describe deployment ebs-csi-controller -n kube-system',
            risk: 'safe',
          },
        ],
      },
    ],
    unread: [],
  };
}

export const fortyOrphans: Report = reportOf([
  ...Array.from({ length: 40 }, (_, index) => orphaned(`data-${index}`)),
  waitsForPod,
  healthyClaim('cache'),
]);

export const mixedBag: Report = reportOf([
  noSlots,
  wrongParameters,
  orphaned('a', 'blue'),
  orphaned('b-with-a-longer-name', 'green'),
  waitsForPod,
  notReadable,
  healthyClaim('cache'),
  healthyClaim('queue'),
]);
