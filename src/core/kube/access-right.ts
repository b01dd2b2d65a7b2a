/** One rule of a role: what may be done with one resource, and what it is good for. */
export interface AccessRight {
  readonly group: string;
  /** With its subresource, as a role names it: pods, pods/exec. */
  readonly resource: string;
  readonly verbs: readonly string[];
  readonly namespaced: boolean;
  /** Asked for in other namespaces too than the one that the question is about. */
  readonly isAskedElsewhere: boolean;
  /** What is read with it, in words. */
  readonly tells: string;
  /** The contents are never asked for. */
  readonly isMetadataOnly: boolean;
}

/** What the server answered when it was asked for one verb of a right. */
export interface AccessAnswer {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** Absent: in the whole cluster. */
  readonly namespace?: string;
  /** Absent: the server did not tell. */
  readonly allowed?: boolean;
  readonly needed: string;
}

export interface AccessReport {
  readonly apiVersion: 'csi.kubectl.dev/v1';
  readonly kind: 'AccessReport';
  readonly source: { readonly type: 'cluster'; readonly name: string };
  readonly commands: readonly string[];
  readonly items: readonly AccessAnswer[];
  readonly summary: { readonly allowed: number; readonly missing: number; readonly unknown: number };
}
