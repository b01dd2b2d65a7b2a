import type { Tool } from '../tool.ts';
import { check } from './check.ts';
import { explain } from './explain.ts';
import { get } from './get.ts';
import { preflight } from './preflight.ts';
import { status } from './status.ts';
import { trace } from './trace.ts';
import { whatIf } from './what-if.ts';
import { why, whyPending } from './why.ts';

/** Every tool, the one to begin with first. */
export const tools: readonly Tool[] = [why, whyPending, status, get, check, trace, preflight, whatIf, explain];
