import type { StorageClass } from '../../kube/kinds.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { isPresent } from '../../facts/claim/claim-case.ts';
import { ClaimOfClass } from '../../facts/claim/claim-of-class.ts';
import { objectRule } from '../lib/rule.ts';
import type { ClaimRule, Explanation, ObjectRule } from '../lib/rule.ts';

/** What would keep any claim of the class from its volume is wrong with the class. */
export function ofClass(
  rule: ClaimRule,
  isMeant: (storageClass: StorageClass) => boolean = () => true,
): ObjectRule<'StorageClass'> {
  const { cause, stage, severity } = rule;
  return objectRule('StorageClass', {
    cause,
    stage,
    severity,
    explain: ({ ask, object }) => (isMeant(object) ? explainImagined(rule, ask, object) : undefined),
  });
}

/** What would keep a claim of any class of the driver from its volume is wrong with the driver. */
export function ofDriver(rule: ClaimRule): ObjectRule<'CSIDriver'> {
  const { cause, stage, severity } = rule;
  return objectRule('CSIDriver', {
    cause,
    stage,
    severity,
    explain: (d) => explainImagined(rule, d.ask, imagineClass(d.name, d.object.metadata.creationTimestamp)),
  });
}

function imagineClass(driver: string, creationTimestamp: string | undefined): StorageClass {
  return {
    kind: 'StorageClass',
    metadata: { name: driver, ...(creationTimestamp !== undefined && { creationTimestamp }) },
    provisioner: driver,
  };
}

/** One imagined claim for each inquiry and class: several rules look at it, and what they find is kept with it. */
const imagined = new WeakMap<Inquiry, Map<string, ClaimOfClass>>();

function explainImagined(rule: ClaimRule, ask: Inquiry, storageClass: StorageClass): Explanation | undefined {
  const claims = imagined.get(ask) ?? new Map<string, ClaimOfClass>();
  imagined.set(ask, claims);
  const claim = claims.get(storageClass.metadata.name) ?? new ClaimOfClass(ask, storageClass);
  claims.set(storageClass.metadata.name, claim);
  return isPresent(claim) ? rule.explain(claim) : undefined;
}
