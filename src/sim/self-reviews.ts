import { textAt } from './fields.ts';

/** SelfSubjectRulesReview, which `kubectl auth can-i --list` sends: in this cluster everyone may do everything. */
export function reviewRules(asked: unknown): Record<string, unknown> {
  return {
    kind: 'SelfSubjectRulesReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: { creationTimestamp: null },
    spec: { namespace: textAt(asked, 'spec', 'namespace') },
    status: {
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    },
  };
}

/** SelfSubjectReview, which `kubectl auth whoami` sends. */
export function reviewSelf(user: string): Record<string, unknown> {
  return {
    kind: 'SelfSubjectReview',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { creationTimestamp: null },
    status: { userInfo: { username: user, groups: ['system:masters', 'system:authenticated'] } },
  };
}
