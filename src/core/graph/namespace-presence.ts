import { nearNames } from '../kube/names.ts';
import type { Inquiry } from './inquiry.ts';

/** Whether a namespace exists. unverified: it could not be read, and nothing that was read is in it. */
export type NamespacePresence =
  { readonly state: 'exists' | 'unverified' } | { readonly state: 'missing'; readonly near: readonly string[] };

/**
 * For a question that found nothing in a namespace: an empty namespace and a misspelt one look alike in every list. A
 * dump shows only the namespaces of the objects in it, so there one that appears nowhere is missing.
 */
export function namespacePresence(ask: Inquiry, namespace: string): NamespacePresence {
  const { snapshot, coverage } = ask.graph;
  if (snapshot.objects.some(({ metadata }) => metadata.namespace === namespace)) return { state: 'exists' };
  const lookup = ask.get('Namespace', undefined, namespace, `whether namespace ${namespace} exists`);
  if (lookup.state === 'found') return { state: 'exists' };
  const isDump = snapshot.source.type !== 'cluster' && coverage.of('Namespace', { name: namespace }).state === 'unread';
  if (lookup.state === 'unknown' && !isDump) return { state: 'unverified' };
  const listed = isDump ? [] : ask.list('Namespace', undefined, 'which namespaces there are').items;
  const names = [
    ...listed.map(({ metadata }) => metadata.name),
    ...snapshot.objects.flatMap(({ metadata }) => metadata.namespace ?? []),
  ];
  return { state: 'missing', near: nearNames(namespace, names) };
}
