import { matchesLabelSelector, parseLabelSelector } from '../core/kube/selectors.ts';
import { matchesFields, parseFieldSelector } from './field-selectors.ts';
import { entriesAt } from './fields.ts';
import type { ServedKind } from './served-kinds.ts';
import { badRequest } from './status.ts';
import type { Entry } from './store.ts';

/** Which objects a list or a watch is about; undefined when it is about all of them. */
export function readSelection(
  query: URLSearchParams,
  served: ServedKind,
  name: string,
): ((entry: Entry) => boolean) | undefined {
  const fieldText = query.get('fieldSelector') ?? '';
  const labelText = query.get('labelSelector') ?? '';
  if (fieldText === '' && labelText === '' && name === '') return undefined;
  const requirements = parseFieldSelector(fieldText, served);
  const selector = readLabelSelector(labelText);
  return (entry) => {
    if (name !== '' && entry.object.metadata.name !== name) return false;
    if (!matchesFields(entry.object, requirements)) return false;
    return labelText === '' || matchesLabelSelector(selector, labelsOf(entry));
  };
}

function readLabelSelector(text: string): ReturnType<typeof parseLabelSelector> {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    throw badRequest(`unable to parse requirement: ${error instanceof Error ? error.message : 'not a selector'}`);
  }
}

function labelsOf(entry: Entry): Record<string, string> {
  return Object.fromEntries(
    entriesAt(entry.object, 'metadata', 'labels').filter(
      (pair): pair is readonly [string, string] => typeof pair[1] === 'string',
    ),
  );
}
