import { enableCompileCache } from 'node:module';
import { compiledCode } from './compiled-code.ts';

// Each test file has a process of its own: what one of them compiled, the others load.
enableCompileCache(compiledCode);
