import type { Lookup, Listing } from '../../graph/inquiry.ts';
import { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import type { ObjectOf } from '../../kube/kinds.ts';
import { matchesLabelSelector } from '../../kube/selectors.ts';
import type { Evidence } from '../../report/report.ts';
import { objectRule } from '../lib/rule.ts';
import type { AnyObjectRule, Explanation } from '../lib/rule.ts';

export type Group = ObjectOf<'VolumeGroupSnapshot'>;
export type GroupContent = ObjectOf<'VolumeGroupSnapshotContent'>;
export type GroupCase = ObjectCase<'VolumeGroupSnapshot'>;

/** groupsnapshot_controller_helper.go tries again after five minutes at the latest. */
export const groupRetry = 'The group is retried automatically within 5 minutes.';

export function ruleForGroup(cause: string, explain: (subject: GroupCase) => Explanation | undefined): AnyObjectRule {
  return objectRule('VolumeGroupSnapshot', { cause, stage: 'snapshot', severity: 'blocking', explain });
}

export function contentNameOf({ spec, status }: Group): string | undefined {
  return status?.boundVolumeGroupSnapshotContentName || spec?.source?.volumeGroupSnapshotContentName;
}

export function lookUpContent({ object: group, ask }: GroupCase): Lookup<GroupContent> | undefined {
  const name = contentNameOf(group);
  if (!name) return undefined;
  return ask.get(
    'VolumeGroupSnapshotContent',
    undefined,
    name,
    `what became of volumegroupsnapshot/${group.metadata.name} on the storage`,
  );
}

/** The error of the group, or of its content, which the controller copies. */
export function groupError(subject: GroupCase): { readonly text: string; readonly evidence: Evidence } | undefined {
  const content = lookUpContent(subject);
  const holders: readonly (Group | GroupContent)[] = [
    ...(content?.state === 'found' ? [content.object] : []),
    subject.object,
  ];
  for (const holder of holders) {
    const { message, time } = holder.status?.error ?? {};
    if (message) return { text: message, evidence: field(holder, 'status.error.message', message, time) };
  }
  return undefined;
}

/** Not taken yet, and not given back to a content that exists already. */
export function isDynamic({ spec, status }: Group): boolean {
  return spec?.source?.selector !== undefined && !status?.boundVolumeGroupSnapshotContentName;
}

/** The claims of the namespace that the selector of the group matches: those are its members. */
export function membersOf({ object: group, ask }: GroupCase): Listing<ClaimCase> {
  const { namespace = '' } = group.metadata;
  const selector = group.spec?.source?.selector;
  const claims = ask.list('PersistentVolumeClaim', namespace, 'which claims belong to the group snapshot');
  return {
    items: claims.items
      .filter(({ metadata }) => selector !== undefined && matchesLabelSelector(selector, metadata.labels ?? {}))
      .map(({ metadata: { name } }) => new ClaimCase(ask, namespace, name)),
    complete: claims.complete,
  };
}

/** The label by which the group selects; a selector of expressions leaves the choice to the reader. */
export function selectingLabel({ spec }: Group): string {
  return Object.keys(spec?.source?.selector?.matchLabels ?? {})[0] ?? 'PLACEHOLDER_LABEL';
}
