import { commandInContext } from '../../kube/command-context.ts';
import type { CommandPlace } from '../../kube/command-context.ts';
import { clusterFlags } from '../../kube/context-flag.ts';
import type { ClusterChoice } from '../../kube/context-flag.ts';
import { fixInContext } from './fixes-in-context.ts';
import type { Fix } from '../../report/report.ts';

/**
 * The same document, whose commands act on the chosen cluster and not on the current context. Every command of a
 * document is in a `fix` or in a field `command`, which `test/core/survey/contexts` checks over the documents of all
 * commands.
 */
export function documentInContext<Document extends object>(document: Document, choice: ClusterChoice): Document {
  if (clusterFlags(choice) === '') return document;
  // Commands of one cluster write no files of another: their names stay.
  const place: CommandPlace = { ...choice, filePrefix: '', files: new Set() };
  return withPlace(document, place) as Document;
}

function withPlace(value: unknown, place: CommandPlace): unknown {
  if (Array.isArray(value)) return value.map((entry) => withPlace(entry, place));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      if (name === 'fix' && Array.isArray(field))
        return [name, (field as Fix[]).map((fix) => fixInContext(fix, place))];
      if (name === 'command' && typeof field === 'string') return [name, commandInContext(field, place)];
      return [name, withPlace(field, place)];
    }),
  );
}
