import { UserError } from '../core/kube/errors.ts';
import type { ConnectionFlags } from '../io/cluster/flags.ts';

/** What the user writes for each type of flag, and the type that the reader of a cluster receives. */
interface WrittenValue {
  readonly text: string;
  readonly list: string[];
  readonly switch: boolean;
  readonly number: string;
}
interface ReaderValue {
  readonly text: string;
  readonly list: readonly string[];
  readonly switch: boolean;
  readonly number: number;
}
type FlagType = keyof WrittenValue;

export interface ConnectionFlag<Type extends FlagType = FlagType> {
  readonly type: Type;
  readonly char?: 's';
  readonly summary: string;
  readonly helpValue?: string;
}

/** `asGroup` → `as-group`. */
type KebabCase<Name extends string> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `-${Lowercase<Letter>}`}${KebabCase<Rest>}`
  : Name;
type TypeOf<Value> = { [Type in FlagType]: Value extends ReaderValue[Type] ? Type : never }[FlagType];
/** A flag for every setting of the reader of a cluster, except the namespace, which is part of the question. */
type ConnectionTable = {
  readonly [Name in keyof ConnectionFlags as Name extends 'namespace' ? never : KebabCase<Name>]-?: ConnectionFlag<
    TypeOf<NonNullable<ConnectionFlags[Name]>>
  >;
};

/**
 * How the cluster is reached: the names and meanings are kubectl's (k8s.io/cli-runtime, genericclioptions.ConfigFlags).
 * The only place where these flags are spelled out: what oclif parses, the types of the values, what the reader of a
 * cluster is given and what completion passes on all derive from this table.
 */
export const connectionTable = {
  context: { type: 'text', summary: 'The kubeconfig context to use', helpValue: 'NAME' },
  kubeconfig: { type: 'text', summary: 'The kubeconfig file to use', helpValue: 'FILE' },
  cluster: { type: 'text', summary: 'The kubeconfig cluster to use', helpValue: 'NAME' },
  user: { type: 'text', summary: 'The kubeconfig user to use', helpValue: 'NAME' },
  server: { type: 'text', char: 's', summary: 'Address and port of the API server', helpValue: 'URL' },
  token: { type: 'text', summary: 'Bearer token for the API server' },
  as: { type: 'text', summary: 'User to impersonate' },
  'as-group': { type: 'list', summary: 'Group to impersonate (repeatable)' },
  'as-uid': { type: 'text', summary: 'Uid to impersonate' },
  'request-timeout': {
    type: 'text',
    summary: 'Time limit for one request, such as 30s or 2m',
    helpValue: 'TIME',
  },
  'certificate-authority': { type: 'text', summary: 'File with the certificate authority', helpValue: 'FILE' },
  'client-certificate': { type: 'text', summary: 'File with the client certificate', helpValue: 'FILE' },
  'client-key': { type: 'text', summary: 'File with the client key', helpValue: 'FILE' },
  'tls-server-name': { type: 'text', summary: 'Name that the server certificate must have', helpValue: 'NAME' },
  'insecure-skip-tls-verify': { type: 'switch', summary: 'Do not verify the server certificate' },
  'chunk-size': { type: 'number', summary: 'Number of objects per page of a list', helpValue: 'N' },
} as const satisfies ConnectionTable;

export type ConnectionName = keyof typeof connectionTable;
export const connectionNames = Object.keys(connectionTable) as ConnectionName[];

/** The values of the connection flags, under kubectl's names, and how much to log about requests. */
export type ConnectionValues = {
  readonly [Name in ConnectionName]?: WrittenValue[(typeof connectionTable)[Name]['type']] | undefined;
} & { readonly v?: string };

/** The connection flags as the reader of a cluster takes them. */
export function connectionOf(values: ConnectionValues & { readonly namespace?: string | undefined }): ConnectionFlags {
  const given = connectionNames.flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [[camelCase(name), readerValue(name, value)]];
  });
  // As in kubectl, an empty namespace is none.
  const place = values.namespace ? [['namespace', values.namespace]] : [];
  return Object.fromEntries([...given, ...place]) as ConnectionFlags;
}

/** The same values from a command line that was split but not parsed, where each is a list of texts. */
export function connectionValuesOf(written: ReadonlyMap<string, readonly string[]>): ConnectionValues {
  const given = connectionNames.flatMap((name) => {
    const texts = written.get(name);
    return texts === undefined ? [] : [[name, valueOf(connectionTable[name].type, texts)]];
  });
  return Object.fromEntries(given) as ConnectionValues;
}

function valueOf(type: FlagType, texts: readonly string[]): WrittenValue[FlagType] | undefined {
  if (type === 'list') return [...texts];
  return type === 'switch' ? texts.at(-1) === 'true' : texts.at(-1);
}

function readerValue(name: ConnectionName, value: WrittenValue[FlagType]): ReaderValue[FlagType] {
  if (connectionTable[name].type !== 'number') return value;
  if (!/^\d+$/.test(String(value))) throw new UserError(`--${name} must be a number, not "${String(value)}"`);
  return Number(value);
}

function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());
}
