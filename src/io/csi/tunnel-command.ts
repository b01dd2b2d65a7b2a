import { UserError } from '../../core/kube/errors.ts';
import type { ProbeFailure } from '../../core/report/probe-report.ts';
import type { Problem } from './problem.ts';
import type { ExecEnd } from './pod-conversation.ts';

/** Printed on standard error as soon as a tool is found: from then on it is the driver that is silent. */
const started = 'kubectl-csi: through ';
const noTool = 'kubectl-csi: no tool';
const notSocket = 'kubectl-csi: not a socket';

/** The tools that can create the tunnel, in the order in which they are tried. */
export const tunnelTools = ['socat', 'ncat', 'nc', 'python3', 'perl'] as const;

const python = `import os,socket,sys,threading
s=socket.socket(socket.AF_UNIX);s.connect(sys.argv[1])
def up():
  while True:
    b=os.read(0,65536)
    if not b:break
    s.sendall(b)
  s.shutdown(1)
threading.Thread(target=up,daemon=True).start()
while True:
  b=s.recv(65536)
  if not b:break
  sys.stdout.buffer.write(b);sys.stdout.buffer.flush()`;

const perl =
  `use Socket;socket(S,AF_UNIX,SOCK_STREAM,0);connect(S,sockaddr_un($ARGV[0]))or die "$!\\n";my ` +
  '$c=fork;if(!$c){while(sysread(STDIN,my $b,65536)){syswrite(S,$b)}shutdown(S,1);exit}while(sysread(S,my ' +
  '$b,65536)){syswrite(STDOUT,$b)}kill 9,$c';

/**
 * Connects its standard streams to the socket with the first tool that can. An nc without -N would outlive a broken
 * connection, and that of busybox has no unix sockets, so only the two known kinds of nc are used.
 */
const script = `s=$1
if [ -e "$s" ] && [ ! -S "$s" ]; then echo '${notSocket}' >&2; exit 1; fi
has() { command -v "$1" >/dev/null 2>&1; }
by() { echo "${started}$1" >&2; }
if has socat; then by socat; exec socat - "UNIX-CONNECT:$s"; fi
if has ncat; then by ncat; exec ncat -U "$s"; fi
if has nc; then
  case "$(nc -h 2>&1 </dev/null)" in
    *Ncat*) by nc; exec nc -U "$s" ;;
    *OpenBSD*) by nc; exec nc -NU "$s" ;;
  esac
fi
if has python3; then by python3; exec python3 -c '${python}' "$s"; fi
if has perl; then by perl; exec perl -e '${perl}' "$s"; fi
echo '${noTool}' >&2
exit 127`;

/** A path without characters that a shell or one of the tools would interpret. */
export const isPlainPath = (path: string): boolean => /^\/[A-Za-z0-9._/-]+$/.test(path);

/** The command that connects to a socket; `own` is the user's, with {} for the path. */
export function tunnelCommand(path: string, own?: string): readonly string[] {
  if (own === undefined) return ['sh', '-c', script, 'kubectl-csi', path];
  return wordsOf(own).map((word) => word.replaceAll('{}', path));
}

export function checkTunnelCommand(own: string): void {
  if (!own.includes('{}'))
    throw new UserError(
      '--tunnel-command has no {} for the path of the socket',
      "Write for example 'socat - UNIX-CONNECT:{}'",
    );
}

const wordsOf = (text: string): string[] => text.trim().split(/\s+/);

/**
 * Whether the command has started, so that it is the driver that is silent. A user's own command does not report it.
 */
export const hasBegun = (errors: string, own: string | undefined): boolean =>
  own !== undefined || errors.includes(started);

/** The tool that creates the tunnel, if it was reported. */
export const toolOf = (errors: string): string | undefined =>
  errors
    .split('\n')
    .find((line) => line.startsWith(started))
    ?.slice(started.length)
    .trim();

/** Why a tunnel ended: because of the driver's socket, of the container, or for an unknown reason. */
export type TunnelEnd =
  | Problem
  | { readonly blocked: Extract<ProbeFailure, 'exec-no-tool'>; readonly note: string }
  | { readonly doubt: string };

const socketWords: readonly (readonly [RegExp, Problem])[] = [
  [/kubectl-csi: not a socket/, { failure: 'not-a-socket', detail: 'something that is not a socket' }],
  [/Connection refused/i, { failure: 'socket-stale' }],
  [/No such file or directory/i, { failure: 'socket-missing' }],
  [
    /Permission denied|Operation not permitted/i,
    { failure: 'permission-denied', detail: 'permission denied in the container' },
  ],
  [
    /Resource temporarily unavailable/i,
    { failure: 'backlog-full', detail: 'its queue of waiting connections is full' },
  ],
  [/Protocol wrong type/i, { failure: 'wrong-socket-type' }],
  [/Not a directory/i, { failure: 'parent-not-directory' }],
  [/File name too long|path too long|must be less than/i, { failure: 'path-too-long' }],
];

/** From what the tool printed; all of them use the messages of the C library. Undefined if the command succeeded. */
export function judgeTunnel({ stderr, exitCode, message }: ExecEnd): TunnelEnd | undefined {
  if (stderr.includes(noTool) || exitCode === 127)
    return { blocked: 'exec-no-tool', note: `the container has none of ${tunnelTools.join(', ')}` };
  if (message !== undefined && /executable file not found|no such file or directory|not found in \$PATH/i.test(message))
    return { blocked: 'exec-no-tool', note: 'the container has no shell' };
  if (message !== undefined) return { doubt: message };
  const words = stderr
    .split('\n')
    .filter((line) => !line.startsWith(started))
    .join('\n');
  const problem = socketWords.find(([pattern]) => pattern.test(words))?.[1];
  if (problem !== undefined) return problem;
  return exitCode === undefined || exitCode === 0
    ? undefined
    : {
        doubt:
          'the command ended with exit code ' +
          `${exitCode}${words.trim() === '' ? '' : `: ${words.trim().split('\n').at(-1)?.slice(0, 200)}`}`,
      };
}
