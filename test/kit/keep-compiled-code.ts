import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Each test file has a process of its own: what one of them compiled, the others load.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/compiled'));
