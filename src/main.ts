// The first file that runs: written so that a Node too old for the rest can still read it and say so.
const needed = '22.19';
const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write('kubectl csi: Node.js ' + needed + ' or newer is needed, and this is ' + process.versions.node + '\n');
  process.exitCode = 4;
} else {
  keepCompiledCode();
  void Promise.all([import('./cli/program.ts'), import('./commands/index.ts')]).then(([program, { commands }]) => program.runProgram(process.argv.slice(2), commands));
}

/** Compiled code is kept in the user's own cache directory: a shared one could be written by somebody else. */
function keepCompiledCode(): void {
  const home = process.env['HOME'] || process.env['USERPROFILE'];
  const cache = process.env['XDG_CACHE_HOME'] || process.env['LOCALAPPDATA'] || (home && home + (process.platform === 'darwin' ? '/Library/Caches' : '/.cache'));
  if (!cache || process.env['NODE_COMPILE_CACHE']) return;
  // Where the directory cannot be written the call answers with a status, and nothing is kept.
  process.getBuiltinModule('node:module').enableCompileCache(cache + '/kubectl-csi');
}

export {};
