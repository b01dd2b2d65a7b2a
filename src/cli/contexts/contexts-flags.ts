/** The values of the flags that ask several clusters at once. */
export interface ContextsValues {
  readonly contexts?: string[] | undefined;
  readonly 'all-contexts'?: boolean;
  readonly 'context-timeout'?: string | undefined;
}

/** `NAME=PATH` of --from. A file may have such a name too; the code that opens files decides. */
export const namedDump = /^(?<name>[^./\\~=\s-][^\\=\s]*)=(?<path>.+)$/s;

/** Whether the flags can ask several clusters; nothing that answers them is loaded otherwise. */
export function mayAskSeveral(flags: ContextsValues & { readonly from?: string[] | undefined }): boolean {
  return (
    flags.contexts !== undefined ||
    flags['all-contexts'] === true ||
    flags['context-timeout'] !== undefined ||
    (flags.from ?? []).some((path) => namedDump.test(path))
  );
}
