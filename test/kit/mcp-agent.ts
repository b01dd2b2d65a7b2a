import { spawn } from 'node:child_process';
import { Client } from '@modelcontextprotocol/client';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { programPath } from './run-program.ts';

/** No cluster but the one that a test starts, and no settings of the machine that runs the tests. */
function quietEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, LANG: 'C.UTF-8', KUBECONFIG: '/nonexistent/kubeconfig' };
}

export interface Agent {
  readonly client: Client;
  /** Everything that the server printed besides the protocol. */
  readonly stderr: () => string;
  readonly call: (name: string, given?: Readonly<Record<string, unknown>>) => Promise<CallToolResult>;
  readonly close: () => Promise<void>;
}

/** The built program as an agent starts it, over standard input and output. */
export async function startAgent(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Agent> {
  const transport = new StdioClientTransport({
    command: programPath,
    args: ['mcp', ...words],
    env: { ...quietEnvironment(), ...env },
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return {
    client,
    stderr: () => stderr,
    call: (name, given = {}) => client.callTool({ name, arguments: given }) as Promise<CallToolResult>,
    close: () => client.close(),
  };
}

export function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

export interface RawServer {
  readonly write: (text: string) => void;
  readonly endInput: () => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when standard output or standard error contains the text. */
  readonly shows: (text: string | RegExp) => Promise<void>;
  readonly ended: Promise<number | null>;
}

/** The built program with whatever a test writes to it. */
export function startRaw(words: readonly string[], env: Readonly<Record<string, string>> = {}): RawServer {
  const child = spawn(programPath, ['mcp', ...words], { env: { ...quietEnvironment(), ...env }, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  const waiting = new Set<() => void>();
  const tell = (): void => waiting.forEach((check) => check());
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    tell();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    tell();
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return {
    write: (text) => void child.stdin.write(text),
    endInput: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    stdout: () => stdout,
    stderr: () => stderr,
    shows: (text) =>
      new Promise((resolve, reject) => {
        const has = (output: string): boolean => (typeof text === 'string' ? output.includes(text) : text.test(output));
        const check = (): void => {
          if (!has(stdout) && !has(stderr)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        void ended.then(() => reject(new Error(`the server ended: ${stdout}${stderr}`)));
        check();
      }),
    ended,
  };
}
