import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { connectionFlags, generalFlags, outputFlag } from '../../cli/flags.ts';
import { printVersions } from './run.ts';

export default class Version extends BaseCommand {
  static override summary = 'Print the version of kubectl csi and of the server';
  static override examples = [
    { description: 'Print both versions', command: 'kubectl csi version' },
    { description: 'Print the client version only, as JSON', command: 'kubectl csi version --client -o json' },
  ];
  static override flags = {
    client: Flags.boolean({ summary: 'Do not query the server' }),
    output: outputFlag(['text', 'json', 'yaml']),
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { flags } = await this.parse(Version);
    return printVersions(flags, this.config.version);
  }
}
