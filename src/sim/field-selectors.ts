import type { RawObject } from '../core/kube/snapshot.ts';
import { textAt, valueAt } from './fields.ts';
import type { ServedKind } from './served-kinds.ts';
import { badRequest } from './status.ts';

interface FieldRequirement {
  readonly field: string;
  readonly equals: boolean;
  readonly value: string;
}

/**
 * Beyond metadata.name and metadata.namespace, a server selects only by the fields that the kind declares
 * (AddFieldLabelConversionsFor… in pkg/apis/core/v1/conversion.go); storage kinds declare none.
 */
const podFields = [
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'spec.hostNetwork',
  'status.phase',
  'status.podIP',
  'status.nominatedNodeName',
];
const reference = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
const declared: Readonly<Record<string, readonly string[]>> = {
  'v1/Pod': podFields,
  'v1/Node': ['spec.unschedulable'],
  'v1/Namespace': ['status.phase'],
  'v1/Secret': ['type'],
  'v1/Event': [
    ...reference.map((field) => `involvedObject.${field}`),
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  'events.k8s.io/Event': [...reference.map((field) => `regarding.${field}`), 'reason', 'reportingController', 'type'],
  'apps/ReplicaSet': ['status.replicas'],
  'batch/Job': ['status.successful'],
};
const falseByDefault = new Set(['spec.unschedulable', 'spec.hostNetwork']);

export function parseFieldSelector(text: string, served: ServedKind): readonly FieldRequirement[] {
  const allowed = declared[`${served.group === '' ? 'v1' : served.group}/${served.kind}`];
  return splitTerms(text).map((term) => {
    const match = /^(?<field>[^=!]*)(?<operator>!=|==|=)(?<value>[\s\S]*)$/.exec(term);
    if (match?.groups === undefined) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    const field = match.groups['field'] ?? '';
    if (field !== 'metadata.name' && field !== 'metadata.namespace' && allowed?.includes(field) !== true) {
      throw badRequest(
        allowed === undefined && !served.custom
          ? `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`
          : `field label not supported: ${field}`,
      );
    }
    return {
      field,
      equals: match.groups['operator'] !== '!=',
      value: (match.groups['value'] ?? '').replace(/\\([\\,=])/g, '$1'),
    };
  });
}

export function matchesFields(object: RawObject, requirements: readonly FieldRequirement[]): boolean {
  return requirements.every(
    (requirement) => (fieldOf(object, requirement.field) === requirement.value) === requirement.equals,
  );
}

function fieldOf(object: RawObject, field: string): string {
  if (field === 'source') return textAt(object, 'source', 'component') || textAt(object, 'reportingComponent');
  if (field === 'reportingController') return textAt(object, 'reportingComponent');
  // Events are kept in the form of core/v1.
  const path = field.replace(/^regarding\./, 'involvedObject.').split('.');
  if (falseByDefault.has(field)) return String(valueAt(object, ...path) === true);
  return textAt(object, ...path);
}

/** Splits at commas that are not escaped. */
function splitTerms(text: string): string[] {
  return text
    .split(/(?<!\\),/)
    .map((term) => term.trim())
    .filter((term) => term !== '');
}
