import type { Evidence } from '../../report/report.ts';
import { selectedNodeAnnotations } from '../../facts/claim/claim-annotations.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field, inNamespace, shellWord } from '../../facts/evidence.ts';

/** The annotation that names the node on which the volume of the claim is to be created. */
export function selectedNodeEvidence(claim: ClaimCase): Evidence {
  const object = claim.claim ?? {
    kind: 'PersistentVolumeClaim',
    metadata: { name: claim.name, namespace: claim.namespace },
  };
  return field(object, `metadata.annotations[${annotationName(claim)}]`, claim.selectedNode ?? 'not set');
}

export function removeSelectedNodeCommand(claim: ClaimCase): string {
  return `kubectl ${inNamespace(claim.namespace)}annotate pvc ${shellWord(claim.name)} ${annotationName(claim)}-`;
}

function annotationName(claim: ClaimCase): string {
  return (
    selectedNodeAnnotations.find((annotation) => claim.annotation(annotation)) ?? 'volume.kubernetes.io/selected-node'
  );
}
