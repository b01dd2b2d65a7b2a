import type { Severity } from '../../report/report.ts';
import { objectRule, podRule } from '../lib/rule.ts';
import type { Explanation, Rule } from '../lib/rule.ts';
import {
  registrationsOfAttachment,
  registrationsOfDriver,
  registrationsOfNode,
  registrationsOfPod,
} from './needed-drivers.ts';
import type { Registration } from './registration.ts';

/** A rule about one driver on one node, for everything that depends on it: pods, attachments, the node, the driver. */
export interface RegistrationRule {
  readonly atMount: readonly Rule[];
  readonly atAttach: readonly Rule[];
}

type Explain = (registration: Registration) => Explanation | undefined;

export function registrationRule(cause: string, severity: Severity, explain: Explain): RegistrationRule {
  const explainFirst = (registrations: readonly Registration[]): Explanation | undefined => {
    for (const registration of registrations) {
      const explanation = explain(registration);
      if (explanation) return explanation;
    }
    return undefined;
  };
  const mount = { cause, stage: 'mount', severity } as const;
  const attach = { cause, stage: 'attach', severity } as const;
  return {
    atMount: [
      podRule({ ...mount, explain: (p) => explainFirst(registrationsOfPod(p, true)) }),
      objectRule('Node', { ...mount, explain: (n) => explainFirst(registrationsOfNode(n)) }),
      objectRule('CSIDriver', { ...mount, explain: (d) => explainFirst(registrationsOfDriver(d)) }),
    ],
    atAttach: [
      podRule({ ...attach, explain: (p) => explainFirst(registrationsOfPod(p, false)) }),
      objectRule('VolumeAttachment', { ...attach, explain: (a) => explainFirst(registrationsOfAttachment(a)) }),
    ],
  };
}
