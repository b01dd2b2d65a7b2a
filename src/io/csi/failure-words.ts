import type { ProbeItem, ProbeStage, ProbeStatus } from '../../core/report/probe-report.ts';
import type { Fix } from '../../core/report/report.ts';
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
const restart = safe('see whether the container of the driver runs and what it logged before', 'crictl ps -a');
const restartPod: Fix = {
  text: 'delete the pod of the driver, so that it starts again; mounts that run through its process (FUSE) break',
  risk: 'disruptive',
};
/** The place is a path or, for a TCP endpoint, host and port. */
const listeners = (place: string): Fix =>
  safe('see which process listens there', place.startsWith('/') ? `ss -xlp | grep -F ${shellWord(place)}` : 'ss -tlnp');
const seeFile = (path: string): Fix => safe('look at the file', `ls -l ${shellWord(path)}`);
const logs = safe('read the log of the driver container at this moment; the call above is in it');
const vendor = safe('report it to the maintainers of the driver; the CSI specification forbids it');
const notCsi = safe(
  "find the endpoint in the driver's arguments (--endpoint, CSI_ENDPOINT) and the sidecars' --csi-address, and probe that",
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
      safe("compare the path with the driver's --endpoint and the hostPath volume that carries the socket"),
    ],
  },
  'parent-not-directory': {
    stage: 'stat',
    summary: (problem) => `the path cannot exist${because(problem)}`,
    fix: () => [safe('correct the path, or move the file that stands in the place of the directory out of the way')],
  },
  'socket-stale': {
    stage: 'connect',
    summary: () =>
      'the socket is a leftover: the file is there, but nothing listens on it, so the driver has ended or crashed',
    fix: (path) => [restart, listeners(path), restartPod],
  },
  'not-a-socket': {
    stage: 'stat',
    summary: (problem) => `there is ${problem.detail ?? 'something'} where the socket should be`,
    fix: (path, problem) => [
      seeFile(path),
      problem.detail === 'a directory'
        ? safe(
            'a container runtime makes a directory of a hostPath that did not exist yet: name the directory of the socket in the volume, not the socket',
          )
        : notCsi,
    ],
  },
  'permission-denied': {
    stage: 'connect',
    summary: (problem) =>
      `this user may not connect to the socket${because(problem)}; this says nothing about the driver`,
    fix: (path) => [safe('probe as root', `sudo kubectl-csi probe ${shellWord(path)}`), seeFile(path)],
  },
  'wrong-socket-type': {
    stage: 'connect',
    summary: () => 'it is a socket for datagrams or packets, and gRPC needs a stream',
    fix: (path) => [listeners(path), notCsi],
  },
  'backlog-full': {
    stage: 'connect',
    summary: (problem) =>
      `the driver no longer accepts connections${because(problem)}, so its process is frozen, stuck or overwhelmed`,
    fix: (path) => [listeners(path), restartPod],
  },
  'path-too-long': {
    stage: 'stat',
    summary: (problem) => `the path is too long for a socket${because(problem)}`,
    fix: () => [safe("shorten the path in the driver's --endpoint, its volume and the sidecars' --csi-address")],
  },
  'handshake-hang': {
    stage: 'http2',
    summary: (problem) =>
      `the driver accepts the connection and then says nothing for ${problem.detail ?? 'too long'}; its process is frozen or hangs`,
    fix: (path) => [
      listeners(path),
      safe('a state of T (stopped) or D (waiting for a disk) tells why', 'ps -eo pid,stat,wchan:20,args'),
      restartPod,
    ],
  },
  'closed-at-once': {
    stage: 'http2',
    summary: () => 'whoever listens closes every connection at once, before a word of HTTP/2',
    fix: (path) => [listeners(path), logs],
  },
  'tls-expected': {
    stage: 'http2',
    summary: () => 'the endpoint wants TLS, and CSI is spoken without it',
    fix: () => [safe('turn TLS off on this endpoint, or probe the socket that the sidecars use'), notCsi],
  },
  'http1-server': {
    stage: 'http2',
    summary: (problem) => `a web server of HTTP/1 listens here, not a driver${because(problem)}`,
    fix: (path) => [safe('it may be the port of metrics or health checks'), listeners(path), notCsi],
  },
  'not-http2': {
    stage: 'http2',
    summary: (problem) => `whoever listens here does not speak HTTP/2${because(problem)}`,
    fix: (path) => [listeners(path), notCsi],
  },
  'http2-not-grpc': {
    stage: 'rpc',
    summary: (problem) => `an HTTP/2 server listens here, but not one of gRPC${because(problem)}`,
    fix: (path) => [listeners(path), notCsi],
  },
  'no-grpc-status': {
    stage: 'rpc',
    summary: (problem) =>
      `the answer to${inCall(problem) || ' a call'} ended without a gRPC status, so a proxy or a broken server stands here`,
    fix: (path) => [listeners(path), logs],
  },
  'stream-refused': {
    stage: 'rpc',
    summary: (problem) => `the server refuses every call${because(problem)}; it is shutting down or overloaded`,
    fix: () => [safe('try again in a moment', undefined), logs],
  },
  'connection-dropped': {
    stage: 'rpc',
    summary: (problem) =>
      `the connection broke during${inCall(problem) || ' the opening'}${because(problem)}; the driver crashed or was restarted`,
    fix: () => [restart, logs],
  },
  'service-absent': {
    stage: 'rpc',
    summary: (problem) => `a gRPC server answers, but ${problem.detail ?? 'it offers no CSI service'}`,
    fix: (path) => [listeners(path), notCsi],
  },
  'registration-socket': {
    stage: 'rpc',
    summary: (problem) => `this is a registration socket for kubelet, not the driver's own${because(problem)}`,
    fix: () => [safe("give the sidecars and this command the driver's own socket")],
  },
  'csi-v0': {
    stage: 'rpc',
    summary: (problem) =>
      `the driver speaks only version 0 of CSI${because(problem)}, which kubelet no longer does since 1.17`,
    fix: () => [safe('install a version of the driver that speaks CSI 1.x')],
  },
  'probe-unimplemented': {
    stage: 'rpc',
    summary: () =>
      'the driver does not implement Probe, which every driver must; sidecars end themselves on this answer',
    fix: () => [vendor],
  },
  'not-ready': {
    stage: 'semantic',
    summary: () => 'the driver is alive and still initialising: it answers Probe with ready=false',
    fix: () => [safe('wait for it', undefined), logs],
  },
  'failed-precondition': {
    stage: 'rpc',
    summary: (problem) => `the driver says that it is not healthy or lacks something it depends on${said(problem)}`,
    fix: () => [safe('set right what the driver names'), logs],
  },
  'rpc-hang': {
    stage: 'rpc',
    summary: (problem) => `the driver is connected but does not answer${inCall(problem)}${because(problem)}`,
    fix: () => [safe('its storage backend or a dead mount may hold it up'), logs, restartPod],
  },
  'driver-error': {
    stage: 'rpc',
    summary: (problem) => `the driver answers${inCall(problem)} with ${problem.code ?? 'an error'}${said(problem)}`,
    fix: () => [logs],
  },
  'name-empty': {
    stage: 'semantic',
    summary: () => 'the driver gives no name',
    fix: () => [safe("set the driver's name in its arguments (often --drivername)"), vendor],
  },
  'name-invalid': {
    stage: 'semantic',
    summary: (problem) => `the name of the driver cannot be used${because(problem)}`,
    fix: () => [
      safe('give the driver a name of at most 63 small letters, digits, "-" and ".", such as disk.example.com'),
    ],
  },
  'name-mismatch': {
    stage: 'semantic',
    summary: (problem) => `the driver calls itself otherwise than expected${because(problem)}`,
    fix: () => [
      safe("use one name in the driver's arguments, its CSIDriver object and its StorageClasses"),
      safe('a registrar reads the name once at its start: restart it after the driver was renamed'),
    ],
  },
  'version-empty': {
    stage: 'semantic',
    summary: () => 'the driver gives no version, which every driver must',
    fix: () => [vendor],
  },
  'nodeid-invalid': {
    stage: 'semantic',
    summary: (problem) => `kubelet cannot register the node with this driver${because(problem)}`,
    fix: () => [safe("set the node id in the driver's arguments (often --nodeid from spec.nodeName)")],
  },
  'response-too-large': {
    stage: 'rpc',
    summary: (problem) =>
      `the answer to${inCall(problem)} is larger than gRPC callers accept${because(problem)}, and the limit is 4 MiB`,
    fix: () => [vendor],
  },
  'malformed-response': {
    stage: 'decode',
    summary: (problem) => `the answer to${inCall(problem)} cannot be read${because(problem)}`,
    fix: () => [vendor],
  },
  'invalid-utf8': {
    stage: 'decode',
    summary: (problem) =>
      `the answer to${inCall(problem)} holds text that is not UTF-8, which callers written in Go refuse`,
    fix: () => [vendor],
  },
  'tcp-refused': {
    stage: 'connect',
    summary: (problem) => `nobody can be reached at this address${because(problem)}`,
    fix: () => [safe('check the address and whether the driver listens on it', 'ss -tlnp'), restart],
  },
  'host-not-found': {
    stage: 'connect',
    summary: (problem) => `the host ${problem.detail ?? ''} has no address`,
    fix: () => [safe('check the name; a name of a Service is known inside the cluster only')],
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
    summary: summary(problem),
    fix: fix(place, problem),
  };
}

/** A driver that fails before its first call is unreachable. Missing permission proves nothing. */
function statusOf(failure: LocalFailure, stage: ProbeStage): ProbeStatus {
  if (failure === 'permission-denied') return 'unknown';
  if (failure === 'not-ready') return 'initialising';
  return stage === 'stat' || stage === 'connect' || stage === 'http2' ? 'unreachable' : 'unhealthy';
}
