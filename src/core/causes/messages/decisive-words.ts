import { failureOfEvent, tellingWords } from '../lib/driver-error/kubelet-complaint.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import { senseOf } from '../lib/driver-error/storage-sense.ts';
import { limitTexts } from '../lib/driver-error/senses/capacity.ts';
import { deviceMissingTexts } from '../lib/driver-error/senses/missing.ts';
import { elsewhereTexts } from '../lib/driver-error/senses/use.ts';
import type { Call } from './calls.ts';

/** The words of a driver's answer that decided: what is known about them, else the code with what follows it. */
export function decisiveWords(text: string, call: Call | undefined): string {
  const known = call === 'mount' ? ofKubelet(text) : ofStorage(text, call);
  return known ?? /(?:code = \w+ desc = |\w+ desc = )[^\n]{0,100}/.exec(text)?.[0] ?? text.slice(0, 120);
}

function ofStorage(text: string, call: Call | undefined): string | undefined {
  if (call === 'attach') return limitTexts.exec(text)?.[0] ?? elsewhereTexts.exec(text)?.[0];
  return call === 'provision' ? senseOf(text)?.words : undefined;
}

function ofKubelet(text: string): string | undefined {
  const event = { kind: 'Event', metadata: { name: 'text', uid: 'text' }, reason: 'FailedMount', message: text };
  const failure = failureOfEvent(event as unknown as KubeEvent);
  return failure && tellingWords(failure.kind, text);
}

/** Whether the words are known of clouds and storage systems. */
export function saysSomething(text: string): boolean {
  return senseOf(text) !== undefined || limitTexts.test(text) || elsewhereTexts.test(text) || deviceMissingTexts.test(text);
}
