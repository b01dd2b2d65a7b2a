export const whatIfFormats = ['text', 'wide', 'json', 'yaml', 'markdown', 'name'] as const;
