export const whatIfFormats = ['text', 'wide', 'json', 'yaml', 'markdown', 'name', 'html'] as const;
