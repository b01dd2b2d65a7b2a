import { UserError } from '../../core/kube/errors.ts';
import type { TuiPorts } from '../../tui/ports.ts';
import type { ClusterSource } from '../../cli/open-source.ts';
import type { ConnectionValues } from '../../cli/connection-flags.ts';
import type { SourceValues } from '../../cli/source-flags.ts';

export type PortFlags = SourceValues & ConnectionValues;

/** What the screen needs from outside: from a cluster that is watched, or from a dump. */
export function tuiPorts(flags: PortFlags): TuiPorts {
  const isDump = flags.from !== undefined && flags.from.length > 0;
  let dump: Promise<ClusterSource> | undefined;
  return {
    async open(place) {
      const { openDumpFeed, openLiveFeed } = await import('./feed.ts');
      if (!isDump) return openLiveFeed(flags, place);
      // Changing the namespace does not read the files again.
      dump ??= import('../../cli/dump-source.ts').then(({ openDump }) =>
        openDump(flags.from ?? [], flags, () => undefined),
      );
      return openDumpFeed(await dump, place, flags);
    },
    async contexts() {
      if (isDump) return [];
      const { loadKubeconfig } = await import('../../io/cluster/kubeconfig.ts');
      return [...(await loadKubeconfig(flags.kubeconfig, process.env)).contexts.keys()].sort();
    },
    async causePage(cause) {
      const { readCausePage } = await import('../../cli/cause-pages.ts');
      return readCausePage(cause).then(
        ({ markdown }) => markdown,
        (error: unknown) => {
          if (error instanceof UserError) return undefined;
          throw error;
        },
      );
    },
  };
}
