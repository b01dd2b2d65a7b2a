/** Remembers the last result: the same arguments again give the same result without computing it again. */
export function memoiseLast<Args extends readonly unknown[], Result>(
  compute: (...args: Args) => Result,
): (...args: Args) => Result {
  let last: { readonly args: Args; readonly result: Result } | undefined;
  return (...args) => {
    const isSame = last?.args.length === args.length && last.args.every((arg, index) => Object.is(arg, args[index]));
    if (last === undefined || !isSame) last = { args, result: compute(...args) };
    return last.result;
  };
}
