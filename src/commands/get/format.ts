import { UserError } from '../../core/kube/errors.ts';
import { parseFieldPath } from '../../core/kube/field-path.ts';
import type { FieldPath } from '../../core/kube/field-path.ts';
import type { RowDetail } from '../../core/report/rows.ts';
import { unknownName } from '../../cli/near-names.ts';
import { isJsonpathFormat } from '../../terminal/document-format.ts';
import type { DocumentFormat } from '../../terminal/document-format.ts';

export type GetFormat =
  | { readonly type: 'text' | 'wide' | 'name' | DocumentFormat }
  | {
      readonly type: 'custom-columns';
      readonly columns: readonly { readonly title: string; readonly path: FieldPath }[];
    };

const getFormats = ['text', 'wide', 'json', 'yaml', 'name', 'custom-columns'] as const;

export async function parseFormat(written: string): Promise<GetFormat> {
  if (isJsonpathFormat(written)) return { type: written };
  const equals = written.indexOf('=');
  const type = equals < 0 ? written : written.slice(0, equals);
  const known = getFormats.find((format) => format === type);
  if (known === undefined)
    throw await unknownName(
      'format',
      type,
      getFormats,
      `The formats are ${[...getFormats, 'jsonpath=TEMPLATE'].join(', ')}`,
    );
  if (known === 'custom-columns')
    return { type: known, columns: parseColumns(equals < 0 ? '' : written.slice(equals + 1)) };
  if (equals >= 0) throw new UserError(`-o ${known} takes no value after "="`);
  return { type: known };
}

/** `TITLE:.path,TITLE:.path`; a comma within brackets belongs to the path. */
function parseColumns(text: string): { readonly title: string; readonly path: FieldPath }[] {
  const example = 'Write for example -o custom-columns=NAME:.name,NODE:.attachments[0].node';
  if (text === '') throw new UserError('-o custom-columns needs at least one column', example);
  return text.split(/,(?![^[]*\])/).map((column) => {
    const colon = column.indexOf(':');
    if (colon <= 0 || colon === column.length - 1)
      throw new UserError(`the column "${column}" is not TITLE:.path`, example);
    return { title: column.slice(0, colon), path: parseFieldPath(column.slice(colon + 1)) };
  });
}

/** How much to read: structured output and custom paths may refer to any field. */
export function detailOf(format: GetFormat, sortBy: string | undefined): RowDetail {
  if (format.type === 'name') return sortBy === undefined ? 'names' : 'wide';
  if (format.type !== 'text') return 'wide';
  return sortBy === undefined ? 'usual' : 'wide';
}
