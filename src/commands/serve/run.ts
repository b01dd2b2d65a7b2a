import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { interruptedExitCode, interruption, untilInterrupted } from '../../cli/interruption.ts';
import { complain, print } from '../../terminal/output.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { isLoopback } from './addresses.ts';
import type { Picture } from './picture.ts';
import { startService } from './run/service.ts';
import type { Service, ServiceFlags } from './run/service.ts';

/** `serve` from its flags to its exit code. */
export async function runServe(flags: ServiceFlags): Promise<ExitCode> {
  const signal = interruption();
  const service = await startService(flags);
  try {
    service.subscribe(reporter());
    await announce(service, flags);
    await Promise.race([untilInterrupted(signal), service.ended]);
    return interruptedExitCode() ?? exitCodes.ok;
  } finally {
    await service.close();
  }
}

async function announce({ addresses, basePath }: Service, flags: ServiceFlags): Promise<void> {
  const isSecure = flags['tls-cert'] !== undefined;
  for (const address of addresses) await print(`Serving at ${isSecure ? 'https' : 'http'}://${address}${basePath}/\n`);
  const open = (flags.address ?? []).filter((address) => !isLoopback(address)).join(', ');
  if (open === '') return;
  if (flags.auth === 'none')
    await complain(`Everybody who can reach ${open} can read this: --auth none asks for no permission.`);
  if (flags.auth === 'kubernetes' && !isSecure)
    await complain(
      `Callers send their tokens to ${open} without encryption. Add --tls-cert and --tls-key unless a proxy in front encrypts.`,
    );
}

/** Says on standard error when the cluster cannot be read, and when it can be again. */
function reporter(): (picture: Picture) => void {
  let said = 'connecting';
  return ({ freshness, sourceName }) => {
    const { state, reason = '' } = freshness;
    const word = state === 'stale' ? 'stale' : 'fine';
    if (state === 'connecting' || word === said) return;
    const isFirst = said === 'connecting';
    said = word;
    if (state === 'stale') void complain(sanitise(`${sourceName} cannot be read: ${reason}. It is tried again.`));
    else if (!isFirst) void complain(sanitise(`${sourceName} can be read again.`));
  };
}
