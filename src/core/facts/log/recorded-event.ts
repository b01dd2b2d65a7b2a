import type { LogLine } from './log-line.ts';

/** An event that a component wrote to its log when it recorded it: the log often outlives the event. */
interface RecordedEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/**
 * client-go record.EventBroadcaster.StartLogging: `Event(v1.ObjectReference{…}): type: 'Warning' reason: 'X' message`.
 */
const written = /^Event\(v1\.ObjectReference\{[^}]*\}\): type: '(\w+)' reason: '([^']*)' ([^]*)$/;

export function recordedEventIn({ message, values }: LogLine): RecordedEvent | undefined {
  const match = written.exec(message);
  if (match) return { type: match[1] ?? '', reason: match[2] ?? '', message: match[3] ?? '' };
  // StartStructuredLogging
  const reason = values.get('reason');
  return message === 'Event occurred' && reason !== undefined
    ? { type: values.get('type') ?? '', reason, message: values.get('message') ?? '' }
    : undefined;
}
