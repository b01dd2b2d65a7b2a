import { sanitise } from './sanitise.ts';

/**
 * `::LEVEL title=TITLE::MESSAGE`, escaped by GitHub's rules: a line break or a colon would end the command or the
 * property.
 */
export function workflowCommand(
  level: 'error' | 'warning' | 'notice',
  title: string,
  message: string,
  properties: Readonly<Record<string, string>> = {},
): string {
  const all = Object.entries({ ...properties, title }).map(
    ([name, value]) => `${name}=${escapeProperty(sanitise(value))}`,
  );
  return `::${level} ${all.join(',')}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
