/** What is printed with a template of kubectl; the template is part of the format. */
export type JsonpathFormat = `jsonpath=${string}` | `jsonpath-as-json=${string}`;

/** The formats that print a whole document, or what a template chooses of one, for programs to read. */
export type DocumentFormat = 'json' | 'yaml' | JsonpathFormat;

export function isDocumentFormat(format: string): format is DocumentFormat {
  return format === 'json' || format === 'yaml' || isJsonpathFormat(format);
}

export function isJsonpathFormat(format: string): format is JsonpathFormat {
  return format.startsWith('jsonpath=') || format.startsWith('jsonpath-as-json=');
}
