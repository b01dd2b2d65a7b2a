import { readFileSync } from 'node:fs';
import type { Server } from '@modelcontextprotocol/server';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { interruptedExitCode, interruption, untilInterrupted } from '../../cli/interruption.ts';
import { readsDump, refuseSourceContradictions } from '../../cli/source-flags.ts';
import { EnvironmentError, UserError } from '../../core/kube/errors.ts';
import { asSentence } from '../../core/kube/sentence.ts';
import { parseListenAddress } from '../../mcp/listen-address.ts';
import type { ListenAddress } from '../../mcp/listen-address.ts';
import type { Operator } from '../../mcp/operator.ts';
import { complain } from '../../terminal/output.ts';
import { sanitise } from '../../terminal/sanitise.ts';

interface McpFlags extends Omit<Operator, 'allowsContexts' | 'logUse'> {
  readonly 'allow-contexts': boolean;
  readonly logs?: string | undefined;
  readonly http?: string | undefined;
  readonly 'http-token-file'?: string | undefined;
  readonly 'http-host'?: string[] | undefined;
}

/** `mcp` from its flags to its exit code. */
export async function runMcp(flags: McpFlags): Promise<ExitCode> {
  refuseContradictions(flags);
  const address = flags.http === undefined ? undefined : parseListenAddress(flags.http);
  const token = readToken(flags['http-token-file']);
  if (address !== undefined) refuseOpenDoor(address, token);
  const newServer = await serverFactory(flags);
  const signal = interruption();
  if (address === undefined) await serveStandardStreams(newServer, signal);
  else await serveAddress(newServer, address, token, flags['http-host'] ?? [], signal);
  return interruptedExitCode() ?? exitCodes.ok;
}

function logUseOf({ logs }: McpFlags): Pick<Operator, 'logUse'> {
  return logs === 'auto' || logs === 'always' ? { logUse: { mode: logs, isAsked: logs === 'always' } } : {};
}

async function serverFactory(flags: McpFlags): Promise<() => Server> {
  const [{ createServer }, { Connections }] = await Promise.all([
    import('../../mcp/server.ts'),
    import('../../mcp/connections.ts'),
  ]);
  const operator: Operator = { ...flags, allowsContexts: flags['allow-contexts'], ...logUseOf(flags) };
  const connections = new Connections(operator);
  await connections.check().catch((error: unknown) => sayUnlessFlagsAreWrong(error, flags));
  return () => createServer(operator, connections);
}

const placeFlags = [
  'context',
  'kubeconfig',
  'cluster',
  'user',
  'server',
  'certificate-authority',
  'client-certificate',
  'client-key',
] as const;

/** What the flags name must exist. Without such flags, a kubeconfig may still be written while the agent runs. */
async function sayUnlessFlagsAreWrong(error: unknown, flags: McpFlags): Promise<void> {
  const isNamed = readsDump(flags) || placeFlags.some((name) => flags[name] !== undefined);
  if (isNamed || !(error instanceof EnvironmentError)) throw error;
  const { message, next = '' } = error;
  await complain(sanitise(`warning: ${[message, next].map(asSentence).join(' ')} Until then, calls fail.`));
}

async function serveStandardStreams(newServer: () => Server, signal: AbortSignal): Promise<void> {
  if (process.stdin.isTTY)
    await complain(
      'Waiting for an agent on standard input. Agents start this command themselves: add it to their configuration.',
    );
  const { serveStreams } = await import('../../mcp/stdio.ts');
  await serveStreams(newServer, { stdin: process.stdin, stdout: process.stdout, onProblem }, signal);
}

async function serveAddress(
  newServer: () => Server,
  address: ListenAddress,
  token: string | undefined,
  hosts: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { serveHttp } = await import('../../mcp/http.ts');
  const { url, close } = await serveHttp(newServer, { address, hosts, token, onProblem });
  await complain(`Listening on ${url}`);
  await untilInterrupted(signal);
  await close();
}

/** What a client sent may be in it. */
function onProblem(line: string): void {
  // The protocol's library lists all the forms that a message could have had, as JSON.
  const isList = line.startsWith('[');
  const told = isList ? 'A message that is not of the protocol was ignored.' : sanitise(line).slice(0, 500);
  void complain(`warning: ${told}`);
}

function refuseContradictions(flags: McpFlags): void {
  refuseSourceContradictions(flags);
  if (flags.http === undefined && flags.from?.includes('-'))
    throw new UserError('--from - cannot be combined with standard input', 'Pass the dump as a file');
  if (flags['allow-contexts'] && readsDump(flags))
    throw new UserError(
      '--allow-contexts cannot be combined with --from',
      'A dump has no contexts: remove one of them',
    );
  const [httpOnly] = (['http-token-file', 'http-host'] as const).filter((name) => flags[name] !== undefined);
  if (flags.http === undefined && httpOnly !== undefined)
    throw new UserError(`--${httpOnly} needs --http`, 'Standard input and output belong to one client');
}

/** Every client that can connect can read the cluster with the rights of the operator. */
function refuseOpenDoor({ host, isLoopback }: ListenAddress, token: string | undefined): void {
  if (isLoopback || token !== undefined) return;
  throw new UserError(
    `other machines can reach ${host}, and every client could read the cluster with your rights`,
    'Listen on 127.0.0.1, or pass --http-token-file FILE with a token that clients must send',
  );
}

/** Shorter ones can be guessed. */
const shortestToken = 16;

function readToken(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  let token: string;
  try {
    token = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new EnvironmentError(
      `the token file ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
      'Pass a file that contains one token',
      { cause: error },
    );
  }
  if (token.length < shortestToken || /\s/.test(token))
    throw new UserError(
      `the token file ${path} must contain one token of at least ${shortestToken} characters`,
      'Create one: openssl rand -hex 32',
    );
  return token;
}
