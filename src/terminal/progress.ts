const unicodeFrames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const asciiFrames = ['-', '\\', '|', '/'];
const eraseLine = '\r\u001B[K';
/** Work that takes less than this shows nothing. */
const silentMs = 300;
/** Work that takes longer than this shows how long it has taken so far. */
const countedMs = 3000;
const frameMs = 100;

interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Shows a moving line while the work takes longer than a moment, and erases it at the end. Only on a terminal. */
export async function withProgress<Result>(
  text: string,
  work: () => Promise<Result>,
  ascii = false,
  stream: ProgressStream = process.stderr,
): Promise<Result> {
  if (!canMove(stream)) return work();
  const begun = Date.now();
  const line = (): string => {
    const taken = Date.now() - begun;
    return taken < countedMs ? text : `${text}, ${Math.floor(taken / 1000)} s so far`;
  };
  const stop = startLine(line, ascii, stream);
  try {
    return await work();
  } finally {
    stop();
  }
}

/** Whether a line can be erased and drawn again. */
export function canMove(stream: ProgressStream): boolean {
  return stream.isTTY === true && process.env['TERM'] !== 'dumb';
}

/** Draws a line whose text may change, until the returned function erases it. */
export function startLine(text: () => string, ascii: boolean, stream: ProgressStream): () => void {
  const frames = ascii ? asciiFrames : unicodeFrames;
  const begun = Date.now();
  let drawn = 0;
  const timer = setInterval(() => {
    if (Date.now() - begun < silentMs) return;
    const line = text()
      .replaceAll(/\p{Cc}/gu, '')
      .slice(0, Math.max(10, (stream.columns || 80) - 4));
    stream.write(`${eraseLine}${frames[drawn % frames.length]} ${line}`);
    drawn += 1;
  }, frameMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    if (drawn > 0) stream.write(eraseLine);
    drawn = 0;
  };
}
