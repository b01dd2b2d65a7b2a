import type { ProbeItem, ProbeStage, ProbeStatus } from '../../core/report/probe-report.ts';
import type { Fix } from '../../core/report/report.ts';
import { asSentence } from '../../core/kube/sentence.ts';
import { shellWord } from '../../core/kube/shell-word.ts';
import type { Endpoint } from './endpoint.ts';
import type { LocalFailure, Problem } from './problem.ts';

interface Words {
  readonly stage: ProbeStage;
  readonly summary: (problem: Problem) => string;
  readonly fix: (path: string, problem: Problem) => readonly Fix[];
}

const safe = (text: string, command?: string): Fix => ({
  text,
  risk: 'safe',
  ...(command !== undefined && { command }),
});
const restart = safe('Check whether the driver container is running, and read its last log.', 'crictl ps -a');
const restartPod: Fix = {
  text: 'Delete the driver pod so that it restarts. FUSE mounts that its process serves break.',
  risk: 'disruptive',
};
/** The place is a path or, for a TCP endpoint, host and port. */
const listeners = (place: string): Fix =>
  safe(
    'Check which process listens there.',
    place.startsWith('/') ? `ss -xlp | grep -F ${shellWord(place)}` : 'ss -tlnp',
  );
const seeFile = (path: string): Fix => safe('Check the file and its permissions.', `ls -l ${shellWord(path)}`);
const logs = safe('Read the log of the driver container: it shows the call above.');
const vendor = safe('Report it to the maintainers of the driver: it violates the CSI specification.');
const wait = safe('Wait if the driver has just started. Otherwise its log shows what it is waiting for.');
const notCsi = safe(
  "Find the endpoint in the driver's arguments (--endpoint, CSI_ENDPOINT) or the sidecars' --csi-address, and probe that.",
);

const because = (problem: Problem): string =>
  problem.detail === undefined || problem.detail === '' ? '' : `: ${problem.detail}`;
const said = (problem: Problem): string =>
  problem.message === undefined || problem.message === '' ? '' : `: ${problem.message}`;
const inCall = (problem: Problem): string => (problem.method === undefined ? '' : ` ${problem.method}`);

/** Each failure in one sentence, with what to do. */
export const failureWords: Readonly<Record<LocalFailure, Words>> = {
  'socket-missing': {
    stage: 'stat',
    summary: (problem) => `the socket does not exist${because(problem)}`,
    fix: () => [
      restart,
      safe("Compare the path with the driver's --endpoint and with the hostPath volume of the socket."),
    ],
  },
  'parent-not-directory': {
    stage: 'stat',
    summary: (problem) => `the path cannot exist${because(problem)}`,
    fix: () => [safe('Correct the path, or move the file that is where the directory should be.')],
  },
  'socket-stale': {
    stage: 'connect',
    summary: () =>
      'the socket is stale: the file exists, but no process listens on it, so the driver has ended or crashed',
    fix: (path) => [restart, listeners(path), restartPod],
  },
  'not-a-socket': {
    stage: 'stat',
    summary: (problem) => `the path is ${problem.detail ?? 'something else'}, not a socket`,
    fix: (path, problem) => [
      seeFile(path),
      problem.detail === 'a directory'
        ? safe(
            'Use the directory of the socket in the hostPath volume, not the socket itself: ' +
              'a container runtime creates a directory for a hostPath that does not exist.',
          )
        : notCsi,
    ],
  },
  'permission-denied': {
    stage: 'connect',
    summary: (problem) => `you may not connect to the socket${because(problem)}. The state of the driver is not known`,
    fix: (path) => [safe('Probe as root.', `sudo kubectl-csi probe ${shellWord(path)}`), seeFile(path)],
  },
  'wrong-socket-type': {
    stage: 'connect',
    summary: () => 'the socket is for datagrams or packets, but gRPC needs a stream socket',
    fix: (path) => [listeners(path), notCsi],
  },
  'backlog-full': {
    stage: 'connect',
    summary: (problem) =>
      `the driver no longer accepts connections${because(problem)}, so its process is frozen, stuck or overloaded`,
    fix: (path) => [listeners(path), restartPod],
  },
  'path-too-long': {
    stage: 'stat',
    summary: (problem) => `the path is too long for a socket${because(problem)}`,
    fix: () => [safe("Shorten the path in the driver's --endpoint, its volume and the sidecars' --csi-address.")],
  },
  'handshake-hang': {
    stage: 'http2',
    summary: (problem) =>
      `the driver accepts the connection but sends nothing for ${problem.detail ?? 'too long'}: its process is frozen or hangs`,
    fix: (path) => [
      listeners(path),
      safe('Check the state of its process: T is stopped, D waits for a disk.', 'ps -eo pid,stat,wchan:20,args'),
      restartPod,
    ],
  },
  'closed-at-once': {
    stage: 'http2',
    summary: () => 'the process that listens closes every connection at once, before HTTP/2 starts',
    fix: (path) => [listeners(path), logs],
  },
  'tls-expected': {
    stage: 'http2',
    summary: () => 'the endpoint requires TLS, but CSI is used without TLS',
    fix: () => [safe('Turn TLS off on this endpoint, or probe the socket that the sidecars use.'), notCsi],
  },
  'http1-server': {
    stage: 'http2',
    summary: (problem) => `an HTTP/1 server listens here, not a driver${because(problem)}`,
    fix: (path) => [safe('Check whether this is the port for metrics or health checks.'), listeners(path), notCsi],
  },
  'not-http2': {
    stage: 'http2',
    summary: (problem) => `the process that listens here does not speak HTTP/2${because(problem)}`,
    fix: (path) => [listeners(path), notCsi],
  },
  'http2-not-grpc': {
    stage: 'rpc',
    summary: (problem) => `an HTTP/2 server listens here, but it is not a gRPC server${because(problem)}`,
    fix: (path) => [listeners(path), notCsi],
  },
  'no-grpc-status': {
    stage: 'rpc',
    summary: (problem) =>
      `the answer to${inCall(problem) || ' a call'} ended without a gRPC status, so a proxy or a broken server listens here`,
    fix: (path) => [listeners(path), logs],
  },
  'stream-refused': {
    stage: 'rpc',
    summary: (problem) => `the server refuses every call${because(problem)}; it is shutting down or overloaded`,
    fix: () => [safe('Try again in a moment.'), logs],
  },
  'connection-dropped': {
    stage: 'rpc',
    summary: (problem) =>
      `the connection broke during${inCall(problem) || ' the handshake'}${because(problem)}: the driver crashed or was restarted`,
    fix: () => [restart, logs],
  },
  'service-absent': {
    stage: 'rpc',
    summary: (problem) => `a gRPC server answers, but ${problem.detail ?? 'it has no CSI service'}`,
    fix: (path) => [listeners(path), notCsi],
  },
  'registration-socket': {
    stage: 'rpc',
    summary: (problem) =>
      `this is the registration socket for the kubelet, not the socket of the driver${because(problem)}`,
    fix: () => [safe("Use the driver's own socket for the sidecars and for this command.")],
  },
  'csi-v0': {
    stage: 'rpc',
    summary: (problem) =>
      `the driver speaks only version 0 of CSI${because(problem)}, which the kubelet has not supported since 1.17`,
    fix: () => [safe('Install a version of the driver that supports CSI 1.x.')],
  },
  'probe-unimplemented': {
    stage: 'rpc',
    summary: () => 'the driver does not implement Probe, which is mandatory: sidecars exit on this answer',
    fix: () => [vendor],
  },
  'not-ready': {
    stage: 'semantic',
    summary: () => 'the driver is running but not ready: it answers Probe with ready=false',
    fix: () => [wait, logs],
  },
  'failed-precondition': {
    stage: 'rpc',
    summary: (problem) => `the driver reports that it is not healthy, or that a dependency is missing${said(problem)}`,
    fix: () => [safe('Fix what the driver reports.'), logs],
  },
  'rpc-hang': {
    stage: 'rpc',
    summary: (problem) => `the driver is connected but does not answer${inCall(problem)}${because(problem)}`,
    fix: () => [
      safe('Check whether its storage backend responds, and whether a dead mount blocks it.'),
      logs,
      restartPod,
    ],
  },
  'driver-error': {
    stage: 'rpc',
    summary: (problem) => `the driver answers${inCall(problem)} with ${problem.code ?? 'an error'}${said(problem)}`,
    fix: () => [logs],
  },
  'name-empty': {
    stage: 'semantic',
    summary: () => 'the driver reports no name',
    fix: () => [safe("Set the driver's name in its arguments (often --drivername)."), vendor],
  },
  'name-invalid': {
    stage: 'semantic',
    summary: (problem) => `the name of the driver is not valid${because(problem)}`,
    fix: () => [safe('Use a name of at most 63 lower-case letters, digits, "-" and ".", such as disk.example.com.')],
  },
  'name-mismatch': {
    stage: 'semantic',
    summary: (problem) => `the driver reports another name than expected${because(problem)}`,
    fix: () => [
      safe("Use one name in the driver's arguments, its CSIDriver object and its StorageClasses."),
      safe('Restart the registrar after the driver was renamed: it reads the name only when it starts.'),
    ],
  },
  'version-empty': {
    stage: 'semantic',
    summary: () => 'the driver reports no version, which is mandatory',
    fix: () => [vendor],
  },
  'nodeid-invalid': {
    stage: 'semantic',
    summary: (problem) => `the kubelet cannot register this driver${because(problem)}`,
    fix: () => [safe("Set the node id in the driver's arguments (often --nodeid from spec.nodeName).")],
  },
  'response-too-large': {
    stage: 'rpc',
    summary: (problem) =>
      `the answer to${inCall(problem)} is larger than gRPC callers accept, which is 4 MiB${because(problem)}`,
    fix: () => [vendor],
  },
  'malformed-response': {
    stage: 'decode',
    summary: (problem) => `the answer to${inCall(problem)} cannot be decoded${because(problem)}`,
    fix: () => [vendor],
  },
  'invalid-utf8': {
    stage: 'decode',
    summary: (problem) => `the answer to${inCall(problem)} contains text that is not UTF-8, which Go clients reject`,
    fix: () => [vendor],
  },
  'tcp-refused': {
    stage: 'connect',
    summary: (problem) => `no server can be reached at this address${because(problem)}`,
    fix: () => [safe('Check the address, and whether the driver listens on it.', 'ss -tlnp'), restart],
  },
  'host-not-found': {
    stage: 'connect',
    summary: (problem) => `the host ${problem.detail ?? ''} has no address`,
    fix: () => [safe('Check the name. The name of a Service can be resolved only inside the cluster.')],
  },
};

export type Verdict = Pick<ProbeItem, 'status' | 'failure' | 'stage' | 'code' | 'summary' | 'fix'>;

export function verdictOf(problem: Problem, endpoint: Endpoint): Verdict {
  const { summary, fix, ...usual } = failureWords[problem.failure];
  const stage = problem.stage ?? usual.stage;
  const place = endpoint.type === 'unix' ? endpoint.path : `${endpoint.host}:${endpoint.port}`;
  return {
    status: statusOf(problem.failure, stage),
    failure: problem.failure,
    stage,
    ...(problem.code !== undefined && { code: problem.code }),
    summary: asSentence(summary(problem)),
    fix: fix(place, problem),
  };
}

/** A driver that fails before its first call is unreachable. Missing permission proves nothing. */
function statusOf(failure: LocalFailure, stage: ProbeStage): ProbeStatus {
  if (failure === 'permission-denied') return 'unknown';
  if (failure === 'not-ready') return 'initialising';
  return stage === 'stat' || stage === 'connect' || stage === 'http2' ? 'unreachable' : 'unhealthy';
}
