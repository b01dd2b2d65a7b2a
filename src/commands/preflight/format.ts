export const preflightFormats = ['text', 'wide', 'json', 'yaml', 'junit', 'github', 'markdown', 'html'] as const;
