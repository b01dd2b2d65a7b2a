import type { Config } from 'prettier';

const config: Config = { printWidth: 120, singleQuote: true };

export default config;
