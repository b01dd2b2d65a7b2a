/** Where a component writes its log. */
export interface LogPlace {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** What runs there: `the leader`, `the driver`, `the node plugin on node-a`. */
  readonly what: string;
  /** What its lines can be about. */
  readonly speaks?: LogSpeaker;
  /** The container has restarted, and its earlier instance has a log of its own. */
  readonly hasPrevious?: true;
}

/** The component that writes a log: a sidecar by its task, the driver next to it, or the driver on a node. */
export type LogSpeaker =
  | 'provisioner'
  | 'attacher'
  | 'resizer'
  | 'snapshotter'
  | 'driver'
  | 'node plugin'
  | 'registrar'
  | 'snapshot controller'
  | 'control plane';

/** The last lines of one container, or why they could not be read. */
export interface LogPart extends LogPlace {
  readonly lines: readonly string[];
  /** The lines before these, or the end of them, were left out because they were too many. */
  readonly isCut: boolean;
  /** In one sentence. */
  readonly refusal?: string;
}

/** The log of the component that has to take the next step of an object. */
export interface ComponentLog {
  /** `the provisioner of disk.csi.example.com`; absent where no component is known. */
  readonly owner?: string;
  /** Why there is nothing to read, in full sentences. */
  readonly reason?: string;
  readonly parts: readonly LogPart[];
  /** The commands that read the same, where this program could not. */
  readonly commands: readonly string[];
}
