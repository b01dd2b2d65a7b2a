import type { ConnectionValues } from '../../cli/connection-flags.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { renderDocument } from '../../cli/render.ts';
import { EnvironmentError, UserError } from '../../core/kube/errors.ts';
import type { DocumentFormat } from '../../terminal/document-format.ts';
import { complain, print } from '../../terminal/output.ts';
import { sanitise } from '../../terminal/sanitise.ts';

interface VersionFlags extends ConnectionValues {
  readonly client: boolean;
  readonly output: 'text' | DocumentFormat;
}

/** A server that does not answer is no error: the version of the client is what a bug report needs then. */
export async function printVersions(flags: VersionFlags, clientVersion: string): Promise<ExitCode> {
  const server = flags.client ? undefined : await askServer(flags);
  const client = `v${clientVersion}`;
  if (flags.output !== 'text') {
    const document = {
      apiVersion: 'csi.kubectl.dev/v1',
      kind: 'Version',
      clientVersion: client,
      ...(server !== undefined && { serverVersion: server }),
    };
    await print(await renderDocument(document, flags.output));
    return exitCodes.ok;
  }
  const lines = [`Client Version: ${client}`, ...(server === undefined ? [] : [`Server Version: ${sanitise(server)}`])];
  await print(`${lines.join('\n')}\n`);
  return exitCodes.ok;
}

async function askServer(flags: VersionFlags): Promise<string | undefined> {
  const { connectCluster } = await import('../../cli/cluster-source.ts');
  try {
    const { reader } = await connectCluster(flags);
    const version = await reader.serverVersion();
    if (version === undefined) await complain('warning: The server does not report its version.');
    return version;
  } catch (error) {
    if (!(error instanceof EnvironmentError) && !(error instanceof UserError)) throw error;
    await complain(`warning: The version of the server is unknown: ${error.message}`);
    return undefined;
  }
}
