/** These run for hours, some of them in two threads, for which the flags of V8 are the same. */
const longCommands = ['serve', 'tui', 'mcp', 'demo', '__serve', '__tui'];
/** A dump is parsed and judged for seconds, without a pause in which the flags could be changed back. */
const dumpCommand = /-from$/;
/** CPU time after which a run is not short, and how often it is looked at. Wall time would include the wait for a distant server. */
const shortRunMicroseconds = 300_000;
const pauseMs = 100;
/** The flags have these names and usual values in this Node. */
const knownNode = /^v24\./;

/**
 * As V8 has them, and so that only what is called very often is compiled again. A regular expression that is used twice
 * would be compiled twice.
 */
const usualFlags = [
  '--sparkplug',
  '--invocation-count-for-maglev=400',
  '--invocation-count-for-maglev-osr=100',
  '--regexp-peephole-optimization',
  '--regexp-tier-up-ticks=1',
];
const lateFlags = [
  '--no-sparkplug',
  '--invocation-count-for-maglev=20000',
  '--invocation-count-for-maglev-osr=1000',
  '--no-regexp-peephole-optimization',
  '--regexp-tier-up-ticks=10',
];

/**
 * V8 compiles what is called often a second and a third time, in threads of its own. Most runs end before that pays:
 * without it, they take 6 to 16 % less CPU time. The errors of drivers are compared with some hundred regular
 * expressions, once or twice: compiling those quickly saves another tenth. A run that takes longer goes back to the
 * usual flags.
 *
 * Kept code, that of Node's own modules too, is accepted only under the flags under which it was made. So the flags are
 * changed when those modules are loaded, and changed back for as long as packs are read or kept.
 */
export class LateCompilation {
  #isOn = false;

  begin(command: string): void {
    if (this.#isOn || !isShort(command) || !knownNode.test(process.version)) return;
    this.#isOn = true;
    setFlags(lateFlags);
    const begun = process.cpuUsage();
    const timer = setInterval(() => {
      const { user, system } = process.cpuUsage(begun);
      if (user + system < shortRunMicroseconds) return;
      clearInterval(timer);
      this.#end();
    }, pauseMs);
    timer.unref();
  }

  #end(): void {
    this.#isOn = false;
    setFlags(usualFlags);
  }

  withUsualFlags<T>(load: () => T): T {
    if (!this.#isOn) return load();
    setFlags(usualFlags);
    try {
      return load();
    } finally {
      setFlags(lateFlags);
    }
  }
}

function isShort(command: string): boolean {
  return longCommands.indexOf(command) < 0 && !dumpCommand.test(command);
}

function setFlags(flags: readonly string[]): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  flags.forEach((flag) => setFlagsFromString(flag));
}
