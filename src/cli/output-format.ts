import { UserError } from '../core/kube/errors.ts';
import type { JsonpathFormat } from '../terminal/document-format.ts';
import { unknownName } from './near-names.ts';

/**
 * What may be written before "=TEMPLATE", as with kubectl; the last is followed by the name of a file with the
 * template.
 */
const jsonpathKinds = ['jsonpath', 'jsonpath-as-json', 'jsonpath-file'] as const;

/** What `-o` was given: one of the formats of the command, or a template for its document. */
export async function readFormat<Format extends string>(
  written: string,
  formats: readonly Format[],
): Promise<Format | JsonpathFormat> {
  const format = formats.find((known) => known === written) ?? (await readJsonpath(written));
  if (format !== undefined) return format;
  const names = [...formats, 'jsonpath=TEMPLATE'];
  throw await unknownName('format', written, formats, `The formats are ${names.join(', ')}`);
}

/** A page is one file: it cannot be printed again and again. */
export function refuseWatchedPage(output: string, watch: boolean): void {
  if (watch && output === 'html')
    throw new UserError('-o html cannot be combined with --watch', 'A page is written once: remove one of them');
}

/** Undefined if this is no jsonpath format. A template that cannot be read is refused before anything else is read. */
export async function readJsonpath(written: string): Promise<JsonpathFormat | undefined> {
  const [kind = ''] = written.split('=', 1);
  const known = jsonpathKinds.find((one) => one === kind);
  if (known === undefined) return undefined;
  const value = written.slice(kind.length + 1);
  const template = known === 'jsonpath-file' ? await readTemplateFile(value) : value;
  const { parseTemplate } = await import('../terminal/jsonpath/parse-template.ts');
  parseTemplate(template);
  return known === 'jsonpath-as-json' ? `jsonpath-as-json=${template}` : `jsonpath=${template}`;
}

async function readTemplateFile(path: string): Promise<string> {
  if (path === '')
    throw new UserError('-o jsonpath-file needs a file', 'Write for example -o jsonpath-file=causes.txt');
  const { readFile } = await import('node:fs/promises');
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const isMissing = error.code === 'ENOENT';
    throw new UserError(isMissing ? `there is no file ${path}` : `${path} cannot be read: ${error.message}`);
  });
}
