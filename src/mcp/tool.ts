import type { ClusterSource } from '../cli/open-source.ts';
import type { Finding } from './answer.ts';
import type { Arguments, Fields } from './arguments.ts';
import type { Operator } from './operator.ts';
import type { DocumentName } from './output-schema.ts';

/** What a call may use in addition to its arguments. */
export interface Call {
  /** With the context that the call chose: the commands of the answer name it. */
  readonly operator: Operator;
  /** Opens the cluster or the dump. Everything is read for this call. */
  readonly open: () => Promise<ClusterSource>;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly fields: Fields;
  readonly output: DocumentName;
  /** It reads the cluster, so a context can be chosen. */
  readonly readsCluster: boolean;
  readonly run: (given: never, call: Call) => Promise<Finding>;
}

/** A tool whose function takes what its fields describe. */
export function defineTool<T extends Fields>(
  tool: Omit<Tool, 'fields' | 'run'> & {
    readonly fields: T;
    readonly run: (given: Arguments<T>, call: Call) => Promise<Finding>;
  },
): Tool {
  return tool as unknown as Tool;
}

/** The paper that the text of an answer is written on: plain text, wide enough that no sentence of a table is cut. */
export const paper = { width: 240, colour: false, ascii: false } as const;
