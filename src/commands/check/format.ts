import type { DocumentFormat } from '../../terminal/document-format.ts';

export const checkFormats = [
  'text',
  'wide',
  'json',
  'yaml',
  'name',
  'junit',
  'github',
  'markdown',
  'prometheus',
  'html',
] as const;
export type CheckFormat = (typeof checkFormats)[number] | DocumentFormat;
