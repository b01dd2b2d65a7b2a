import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';
import { EnvironmentError, UserError } from '../../core/kube/errors.ts';
import { isExecutable, readInstalled } from '../installation.ts';

/** An error as one thread sends it to the other. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly next?: string | undefined;
}

/**
 * The program itself: next to its parts when bundled, two directories up when not, and only as text in an executable.
 */
export function startThreadOfProgram(options: WorkerOptions): Worker {
  if (isExecutable()) return new Worker(readInstalled('dist/executable.cjs'), { ...options, eval: true });
  return new Worker(
    [join(import.meta.dirname, 'main.cjs'), join(import.meta.dirname, '../../main.ts')].find(existsSync) as string,
    options,
  );
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  return {
    name: error.name,
    message: error.message,
    ...((error instanceof UserError || error instanceof EnvironmentError) && { next: error.next }),
  };
}

export function errorOf({ name, message, next }: Failure): Error {
  if (name === 'UserError') return new UserError(message, next);
  return name === 'EnvironmentError' ? new EnvironmentError(message, next) : new Error(message);
}
