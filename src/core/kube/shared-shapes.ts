import { anything, boolean, list, map, number, quantity, record, string } from './shape.ts';

/* Parts that several kinds have in common. */

const ownerReference = record({ apiVersion: string, kind: string, name: string, uid: string, controller: boolean });
const managedField = record({
  manager: string,
  operation: string,
  time: string,
  subresource: string,
  fieldsV1: anything,
});
export const metadata = record({
  name: string,
  namespace: string,
  uid: string,
  resourceVersion: string,
  generation: number,
  creationTimestamp: string,
  deletionTimestamp: string,
  deletionGracePeriodSeconds: number,
  labels: map(string),
  annotations: map(string),
  finalizers: list(string),
  ownerReferences: list(ownerReference),
  managedFields: list(managedField),
});
export const condition = record({
  type: string,
  status: string,
  reason: string,
  message: string,
  lastTransitionTime: string,
  lastProbeTime: string,
});
export const reference = record({
  apiVersion: string,
  apiGroup: string,
  kind: string,
  namespace: string,
  name: string,
  uid: string,
  fieldPath: string,
});
export const selectorRequirement = record({ key: string, operator: string, values: list(string) });
export const labelSelector = record({ matchLabels: map(string), matchExpressions: list(selectorRequirement) });
export const nodeSelectorTerm = record({
  matchExpressions: list(selectorRequirement),
  matchFields: list(selectorRequirement),
});
export const nodeSelector = record({ nodeSelectorTerms: list(nodeSelectorTerm) });
/**
 * What a driver reports of a volume or of its storage (KEP-1432, alpha ≥1.37); the list was called `conditions` in the
 * proposal.
 */
export const healthCondition = record({
  status: string,
  reason: string,
  message: string,
  lastTransitionTime: string,
  accessModes: list(string),
  volumeMode: string,
});
export const healthReport = {
  healthConditions: list(healthCondition),
  conditions: list(healthCondition),
  lastTransitionTime: string,
};
export const secretReference = record({ name: string, namespace: string });
export const resources = record({ requests: map(quantity), limits: map(quantity) });

export const claimSpec = record({
  accessModes: list(string),
  resources,
  storageClassName: string,
  volumeName: string,
  volumeMode: string,
  selector: labelSelector,
  volumeAttributesClassName: string,
  dataSource: reference,
  dataSourceRef: reference,
});
