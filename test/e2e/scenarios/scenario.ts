import type { KubernetesMinor } from '../versions.ts';
import type { World } from './world.ts';

export const phases = [
  'admission',
  'binding',
  'wffc',
  'provision',
  'schedule',
  'attach',
  'mount',
  'resize',
  'snapshot',
  'delete',
  'other',
] as const;
export type Phase = (typeof phases)[number];
export type Status = 'blocked' | 'waiting' | 'healthy' | 'unknown';

/** What only a person can add to a printed fix. */
interface Human {
  /** What the person knows or does, as a sentence. */
  readonly knows: string;
  /** Values for the placeholders of the commands, such as PLACEHOLDER_KEY. */
  readonly values?: (world: World) => Readonly<Record<string, string>>;
  /** Files that the commands read, by name, with their content. */
  readonly files?: Readonly<Record<string, string>>;
  /** What the person does once the commands have run, such as a storage administrator who adds space. */
  readonly acts?: (world: World) => unknown;
}

/** A state other than healthy that the first fix leads to. */
export interface OtherOutcome {
  readonly status: Status | 'gone';
  readonly cause?: string;
  /** Why this is what the fix is for. */
  readonly why: string;
}

/** How the first fix of a scenario is carried out. Without a plan its commands run as printed and heal the target. */
export interface FixPlan {
  readonly human?: Human;
  /** Done instead of the commands, because this machine lacks something that they need. */
  readonly instead?: { readonly reason: string; readonly play: (world: World) => unknown };
  /** Why the fix is not carried out at all; the scenario heals itself instead. */
  readonly skip?: string;
  readonly reaches?: OtherOutcome;
  /** Why the old cause may still be reported for a while after the repair. */
  readonly lingers?: string;
  /** How long the target may take to get healthy, in seconds. */
  readonly patience?: number;
}

/** One way to break storage for real, what the program must say of it, and how to mend it. */
export interface Scenario {
  readonly name: string;
  readonly phase: Phase;
  /** What it is, for the one who reads the dump. */
  readonly note: string;
  /** As the program takes it: pvc/data. Where the name is not known before, the scenario sets the world's. */
  readonly target: string;
  /** Which command is asked; why-pending unless told. */
  readonly command?: 'why-pending' | 'why';
  readonly status: Status;
  /** The id of the cause; null where nothing is wrong or nothing can be told. */
  readonly cause: string | null;
  readonly wrong?: readonly string[];
  /** Causes that are true while Kubernetes is still at it, before the one that stays. */
  readonly meanwhile?: readonly string[];
  /** Nothing but an event tells this cause from others; without events it must still not be called healthy. */
  readonly toldByEvents?: boolean;
  readonly mustMention?: readonly string[];
  /** Exit codes, where the status does not tell them. */
  readonly exitCodes?: readonly number[];
  /** Who asks: the administrator, the built-in role view, or somebody without any right. */
  readonly user?: 'admin' | 'viewer' | 'nobody';
  /** Breaks something that others need: runs alone. */
  readonly alone?: boolean;
  readonly smoke?: boolean;
  /** The minors of Kubernetes that can be broken like this; all unless told. */
  readonly minors?: readonly KubernetesMinor[];
  /** How long the program may take to see it, in seconds: Kubernetes has to notice first. */
  readonly patience?: number;
  /** Breaks it, and returns when Kubernetes has noticed. */
  readonly break: (world: World) => Promise<void>;
  /** How the fix that the program prints first is carried out. */
  readonly fix?: FixPlan;
  /** Heals it where no printed fix does; the target must be healthy afterwards. Without it there is nothing to heal. */
  readonly heal?: (world: World) => Promise<void>;
}
