import { isKnownKind } from '../core/kube/kinds.ts';
import type { Report } from '../core/report/report.ts';
import { resourceOf } from '../core/kube/resources.ts';
import { sanitise } from './sanitise.ts';

// JSON must only escape C0; a terminal also obeys C1 and the bidirectional controls. Inside a JSON or a double-quoted
// YAML string each of them may be written as an escape, so the data stays the same and the terminal stays safe.
const unsafe = /[\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const needsEscape = new RegExp(`[\\u0000-\\u001f]|${unsafe.source}`);

export function renderJson(report: object): string {
  return `${escapeUnsafe(JSON.stringify(report, null, 2))}\n`;
}

/** YAML 1.2 that readers of YAML 1.1 (kubectl, most tools of the trade) take for the same data. */
export async function renderYaml(report: object): Promise<string> {
  const { Document, visit } = await import('yaml');
  // Anchors for targets that are listed twice would be valid, and a surprise.
  const document = new Document(report, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value !== 'string') return;
      // A lone surrogate has no escape that strict readers accept.
      node.value = node.value.toWellFormed();
      if (needsEscape.test(node.value as string) || node.value === '=' || node.value === '<<')
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeUnsafe(document.toString({ lineWidth: 0 }));
}

function escapeUnsafe(text: string): string {
  return text.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** `persistentvolumeclaim/data`, a line for each target that needs someone, as `kubectl get -o name` writes it. */
export function renderName(report: Report): string {
  return report.items
    .filter((item) => item.status === 'blocked' || item.status === 'unknown')
    .map(({ target }) => `${sanitise(qualifiedKind(target.kind))}/${sanitise(target.name)}\n`)
    .join('');
}

export function qualifiedKind(kind: string): string {
  const group = isKnownKind(kind) ? resourceOf(kind).group : '';
  return group === '' ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
}
