/** Text that should be JSON or YAML and cannot be read to its end. */
export class BrokenInput extends Error {
  override readonly name = 'BrokenInput';
  /** tooLarge: built to exhaust memory, or larger than this program reads. */
  readonly problem: 'truncated' | 'invalid' | 'notKubernetes' | 'tooLarge';
  readonly line: number | undefined;
  constructor(problem: BrokenInput['problem'], message: string, line?: number) {
    super(message);
    this.problem = problem;
    this.line = line;
  }
}

export function lineAt(bytes: Uint8Array, offset: number): number {
  let line = 1;
  const end = Math.min(offset, bytes.length);
  for (let at = bytes.indexOf(10); at >= 0 && at < end; at = bytes.indexOf(10, at + 1)) line += 1;
  return line;
}
