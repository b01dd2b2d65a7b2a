import { objectRule, podRule } from '../lib/rule.ts';
import type { Explanation, Rule } from '../lib/rule.ts';
import type { Severity } from '../../report/report.ts';
import {
  registrationsOfAttachment,
  registrationsOfDriver,
  registrationsOfNode,
  registrationsOfPod,
} from './needed-drivers.ts';
import type { Registration } from './registration.ts';

/** One predicate over a driver on a node, asked of all that depend on it: pods, attachments, the node, the driver. */
export interface RegistrationRules {
  readonly atMount: readonly Rule[];
  readonly atAttach: readonly Rule[];
}

type Explain = (registration: Registration) => Explanation | undefined;

export function onEachSubject(cause: string, severity: Severity, explain: Explain): RegistrationRules {
  const first = (registrations: readonly Registration[]): Explanation | undefined => {
    for (const registration of registrations) {
      const explanation = explain(registration);
      if (explanation) return explanation;
    }
    return undefined;
  };
  return {
    atMount: [
      podRule({ cause, stage: 'mount', severity, explain: (p) => first(registrationsOfPod(p, true)) }),
      objectRule('Node', { cause, stage: 'mount', severity, explain: (n) => first(registrationsOfNode(n)) }),
      objectRule('CSIDriver', { cause, stage: 'mount', severity, explain: (d) => first(registrationsOfDriver(d)) }),
    ],
    atAttach: [
      podRule({ cause, stage: 'attach', severity, explain: (p) => first(registrationsOfPod(p, false)) }),
      objectRule('VolumeAttachment', {
        cause,
        stage: 'attach',
        severity,
        explain: (a) => first(registrationsOfAttachment(a)),
      }),
    ],
  };
}
