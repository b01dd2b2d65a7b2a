/** The paths of a Kubernetes API server, by which an address is recognised as one. */
const apiServerUrl =
  /\bhttps?:\/\/([\w.-]+(?::\d+)?|\[[0-9a-f:]+\](?::\d+)?)\/(?:version\b|healthz\b|livez\b|readyz\b|api\/v1\b|apis\/|api(?:[?"' ]|$))/i;

/** The address of the Kubernetes API that a process asked for. */
export function apiServerIn(text: string): string | undefined {
  return apiServerUrl.exec(text)?.[1];
}

/** An address by which a process only reaches its own pod. */
export function isLoopback(address: string): boolean {
  return /^(?:127(?:\.\d+){3}|localhost|\[::1\]|0\.0\.0\.0)(?::|$)/i.test(address);
}
