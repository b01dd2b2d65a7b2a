const unicodeFrames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const asciiFrames = ['-', '\\', '|', '/'];
const eraseLine = '\r\u001B[K';

interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Shows a line that moves while the work takes longer than a moment, and erases it. On a terminal only. */
export async function withProgress<Result>(
  text: string,
  work: () => Promise<Result>,
  ascii = false,
  stream: ProgressStream = process.stderr,
): Promise<Result> {
  if (!canMove(stream)) return work();
  const stop = startLine(() => text, ascii, stream);
  try {
    return await work();
  } finally {
    stop();
  }
}

/** Whether a line can be drawn over. */
export function canMove(stream: ProgressStream): boolean {
  return stream.isTTY === true && process.env['TERM'] !== 'dumb';
}

/** Draws the line, as it reads at each moment, until it is stopped; then it is gone. */
export function startLine(text: () => string, ascii: boolean, stream: ProgressStream): () => void {
  const frames = ascii ? asciiFrames : unicodeFrames;
  const begun = Date.now();
  let drawn = 0;
  const timer = setInterval(() => {
    if (Date.now() - begun < 300) return;
    const line = text()
      .replaceAll(/\p{Cc}/gu, '')
      .slice(0, Math.max(10, (stream.columns || 80) - 4));
    stream.write(`${eraseLine}${frames[drawn % frames.length]} ${line}`);
    drawn += 1;
  }, 100);
  timer.unref();
  return () => {
    clearInterval(timer);
    if (drawn > 0) stream.write(eraseLine);
    drawn = 0;
  };
}
