import { EnvironmentError, UserError } from '../core/kube/errors.ts';
import { asSentence } from '../core/kube/sentence.ts';
import { exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';

interface Failure {
  readonly exitCode: ExitCode;
  /** A bug: neither the user nor the environment caused it. */
  readonly isBug: boolean;
  readonly lines: readonly string[];
}

/** What is printed for an error, and the exit code. Only a bug shows a stack trace, and only at -v=9. */
export function failureOf(error: unknown, commandId: string | undefined, verbosity: number): Failure {
  const say = (exitCode: ExitCode, what: string, next?: string): Failure => ({
    exitCode,
    isBug: false,
    lines: [`error: ${asSentence(what)}`, ...(next ? [`  ${asSentence(next)}`] : [])],
  });
  const help = `run kubectl csi ${commandId === undefined ? '' : `${commandId} `}--help for usage`;
  if (error instanceof UserError) return say(exitCodes.usage, ownMessage(error.message), error.next ?? help);
  if (error instanceof EnvironmentError) return say(exitCodes.failed, error.message, error.next);
  if (isParseError(error)) return say(exitCodes.usage, plainSentence(error.message), help);
  const stack = error instanceof Error && verbosity >= 9 ? error.stack : undefined;
  const what = error instanceof Error ? `${error.name}: ${firstLine(error.message)}` : String(error);
  return {
    exitCode: exitCodes.failed,
    isBug: true,
    lines: [
      `error: ${asSentence(`this is a bug in kubectl csi: ${what}`)}`,
      stack ?? '  Run the command with -v=9 for the stack trace, and report it.',
    ],
  };
}

/** oclif marks the errors of its parser with an `oclif` field. */
function isParseError(error: unknown): error is Error {
  return error instanceof Error && 'oclif' in error;
}

/** oclif writes a line before and after the message of an error that reading a flag throws. */
function ownMessage(message: string): string {
  return /^Parsing --\S+\s+([^]*)\nSee more help with --help$/.exec(message)?.[1] ?? message;
}

/** The first line of the message of oclif's parser; the others repeat it as a list. */
function plainSentence(message: string): string {
  const text = message.replace(/^Parsing (--\S+)\s+/, '$1: ').replace(/\nSee more help with --help$/, '');
  const [, flag, value, choices] = /^Expected (--[\w-]+)=([^]*) to be one of: ([^\n]*)/.exec(text) ?? [];
  if (flag !== undefined) return `${flag} must be one of ${choices}, not "${value}"`;
  return text.startsWith('Expected ') ? text.replace(/\s*\n\s*/g, ' ') : firstLine(text);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
