/** Colours and cursor movements of a terminal (ECMA-48). */
// eslint-disable-next-line no-control-regex
const terminalCodes = /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]/g;
/** Chats and word processors put other spaces than U+0020 between words. */
const otherSpaces = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;
const unseen = /[\u00AD\u200B-\u200D\u2060\uFEFF]/g;
const doubleQuotes = /[\u201C-\u201F\u2033\u300C-\u300F\uFF02]/g;
const openQuote = /[\u00AB\u2039] ?/g;
const closeQuote = / ?[\u00BB\u203A]/g;
const singleQuotes = /[\u2018-\u201B\u2032\uFF07]/g;
/** What was copied from the source of a page. */
const entities: readonly (readonly [RegExp, string])[] = [
  [/&(?:quot|#34|#x22);/gi, '"'],
  [/&(?:apos|#39|#x27);/gi, "'"],
  [/&nbsp;/gi, ' '],
  [/&(?:lt|#60);/gi, '<'],
  [/&(?:gt|#62);/gi, '>'],
  [/&(?:amp|#38);/gi, '&'],
];
/** Mails and chats mark each line of a quotation. */
const quotationMarks = /^[ \t]*(?:>[ \t]?)+/gm;

/**
 * A text as Kubernetes wrote it, before a terminal, a chat, a mail or a page changed its characters. The number of
 * lines stays.
 */
export function plainText(text: string): string {
  const plain = text
    .replace(terminalCodes, '')
    .replace(/\r\n?/g, '\n')
    .replace(otherSpaces, ' ')
    .replace(unseen, '')
    .replace(doubleQuotes, '"')
    .replace(singleQuotes, "'")
    .replace(openQuote, '"')
    .replace(closeQuote, '"')
    .replace(quotationMarks, '');
  return plain.includes('&') ? entities.reduce((out, [entity, sign]) => out.replace(entity, sign), plain) : plain;
}
