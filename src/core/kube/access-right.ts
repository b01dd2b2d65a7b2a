/** One rule of a role: what may be done with one resource, and what it is used for. */
export interface AccessRight {
  readonly group: string;
  /** With its subresource, as a role names it: pods, pods/exec. */
  readonly resource: string;
  readonly verbs: readonly string[];
  readonly namespaced: boolean;
  /** Needed in more namespaces than the one of the target. */
  readonly isAskedElsewhere: boolean;
  /** What the program learns with it, in words. */
  readonly tells: string;
  /** Only metadata is read, never the contents. */
  readonly isMetadataOnly: boolean;
}

/** The answer of the server about one verb of a right. */
export interface AccessAnswer {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** Absent: in the whole cluster. */
  readonly namespace?: string;
  /** Absent: the server did not report it. */
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
