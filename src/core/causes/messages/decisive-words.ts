import { failureOfEvent, tellingWords } from '../lib/driver-error/kubelet-complaint.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import { creationSenseOf, senseOf } from '../lib/driver-error/storage-sense.ts';
import { limitTexts } from '../lib/driver-error/senses/capacity.ts';
import { ownWords } from '../lib/driver-error/node-sense.ts';
import { deviceMissingTexts } from '../lib/driver-error/senses/missing.ts';
import { elsewhereTexts } from '../lib/driver-error/senses/use.ts';
import { blamesMode, blockRefusal } from '../lib/driver-error/senses/request.ts';
import type { Call } from './calls.ts';

/** The words of a driver's answer that decided: what is known about them, else the code with what follows it. */
export function decisiveWords(text: string, call: Call | undefined): string {
  const known = call === 'mount' ? ofKubelet(text) : ofStorage(text, call);
  if (known !== undefined) return known;
  if (call === 'mount') return ownWords(text);
  return /(?:code = \w+ desc = |\w+ desc = )[^\n]{0,100}/.exec(text)?.[0] ?? text.slice(0, 120);
}

function ofStorage(text: string, call: Call | undefined): string | undefined {
  if (call === 'attach') return limitTexts.exec(text)?.[0] ?? elsewhereTexts.exec(text)?.[0];
  return call === 'provision' ? creationSenseOf(text)?.words : undefined;
}

function ofKubelet(text: string): string | undefined {
  const event = { kind: 'Event', metadata: { name: 'text', uid: 'text' }, reason: 'FailedMount', message: text };
  const failure = failureOfEvent(event as unknown as KubeEvent);
  return failure && tellingWords(failure.kind, text);
}

/** These words are also said of what has nothing to do with storage. */
const ofAnything: readonly string[] = ['admission', 'object', 'slow', 'service'];

/** Whether the words are known of clouds and storage systems. */
export function saysSomething(text: string): boolean {
  const about = senseOf(text)?.about;
  return (
    (about !== undefined && !ofAnything.includes(about)) ||
    limitTexts.test(text) ||
    elsewhereTexts.test(text) ||
    deviceMissingTexts.test(text) ||
    blockRefusal.test(text) ||
    blamesMode(text, [])
  );
}
