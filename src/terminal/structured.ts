import { isKnownKind } from '../core/kube/kinds.ts';
import type { ObjectRef, Report } from '../core/report/report.ts';
import { resourceOf } from '../core/kube/resources.ts';
import { defuseStrings, isExplosive } from './defuse.ts';
import type { DocumentFormat } from './document-format.ts';
import { sanitise } from './sanitise.ts';

// JSON requires escapes for the C0 controls only, but a terminal also obeys C1 and bidirectional controls. In JSON and
// in double-quoted YAML strings all of them can be written as escapes, which keeps the data unchanged and the terminal
// safe.
const unsafe = /[\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const needsEscape = new RegExp(`[\\u0000-\\u001f]|${unsafe.source}`);

export async function renderDocument(document: object, format: DocumentFormat): Promise<string> {
  if (format === 'json') return renderJson(document);
  if (format === 'yaml') return renderYaml(document);
  const { renderJsonpath, renderJsonpathAsJson } = await import('./jsonpath/render-jsonpath.ts');
  const template = format.slice(format.indexOf('=') + 1);
  return format.startsWith('jsonpath=') ? renderJsonpath(document, template) : renderJsonpathAsJson(document, template);
}

export function renderJson(report: object): string {
  return `${escapeUnsafe(JSON.stringify(report, null, 2))}\n`;
}

/** YAML 1.2 that readers of YAML 1.1, such as kubectl, read as the same data. */
export async function renderYaml(report: object): Promise<string> {
  const { Document, visit } = await import('yaml');
  // Without this, a target that is listed twice becomes an anchor and an alias.
  const document = new Document(report, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value !== 'string') return;
      // A lone surrogate has no escape that strict readers accept.
      node.value = node.value.toWellFormed();
      if (
        needsEscape.test(node.value as string) ||
        isExplosive(node.value as string) ||
        node.value === '=' ||
        node.value === '<<'
      )
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeUnsafe(document.toString({ lineWidth: 0 }));
}

export function escapeUnsafe(text: string): string {
  return defuseStrings(text).replace(
    unsafe,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * `persistentvolumeclaim/data`, a line for each target that is stuck or unknown, as `kubectl get -o name` writes it.
 */
export function renderName(report: Report): string {
  return report.items
    .filter((item) => item.status === 'blocked' || item.status === 'unknown')
    .map(({ target }) => `${nameLine(target)}\n`)
    .join('');
}

/**
 * `persistentvolumeclaim/data`; of several clusters, behind the context and a tab: `read context name` takes it apart.
 */
export function nameLine({ kind, name, context }: Pick<ObjectRef, 'kind' | 'name' | 'context'>): string {
  return `${context === undefined ? '' : `${sanitise(context)}\t`}${sanitise(qualifiedKind(kind))}/${sanitise(name)}`;
}

export function qualifiedKind(kind: string): string {
  const group = isKnownKind(kind) ? resourceOf(kind).group : '';
  return group === '' ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
}
