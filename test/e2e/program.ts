import { cpSync, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const repository = join(import.meta.dirname, '../..');

/** A copy of what is shipped, so that a build in the work tree cannot pull the program away from under a long run. */
export class Program {
  /** The PATH with which kubectl finds the plugin, and the plugin its Node. */
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static isBuilt(): boolean {
    return existsSync(join(repository, 'dist/main.cjs'));
  }

  static install(directory: string): Program {
    const { files } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      files: readonly string[];
    };
    for (const file of ['package.json', ...files]) {
      const source = join(repository, file);
      if (existsSync(source)) cpSync(source, join(directory, file), { recursive: true });
    }
    return new Program(
      [join(directory, 'bin'), join(repository, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter),
    );
  }
}
