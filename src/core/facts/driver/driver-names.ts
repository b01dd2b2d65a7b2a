import { driverOfInTree } from '../../kube/in-tree.ts';
import type { CsiDriver, StorageClass } from '../../kube/kinds.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import { noProvisioner } from '../class/storage-class.ts';
import type { Extent } from '../../report/status.ts';

/** A driver that appears anywhere: as an object, in the registrations of a node, or as the provisioner of a class. */
export interface KnownDriver {
  readonly name: string;
  readonly object?: CsiDriver;
  /** Undefined when CSIDrivers could not be read. */
  readonly isInstalled?: boolean;
  readonly classes: readonly string[];
}

interface KnownDrivers {
  readonly extent: Extent;
  readonly drivers: readonly KnownDriver[];
}

/** All drivers, or only those in `used`. */
export function knownDrivers(ask: Inquiry, used?: ReadonlySet<string>): KnownDrivers {
  const objects = ask.list('CSIDriver', undefined, 'which drivers are installed');
  const csiNodes = ask.list('CSINode', undefined, 'on which nodes the drivers are registered');
  const classes = ask.list('StorageClass', undefined, 'which classes the drivers serve');
  const byDriver = Map.groupBy(classes.items, driverOfClass);
  const names = new Set([
    ...objects.items.map(({ metadata }) => metadata.name),
    ...csiNodes.items.flatMap(({ spec }) => (spec?.drivers ?? []).map(({ name }) => name ?? '')),
    ...[...byDriver.keys()].filter((name) => !name.startsWith('kubernetes.io/')),
    ...(used ?? []),
  ]);
  names.delete('');
  const found = new Map(objects.items.map((object) => [object.metadata.name, object]));
  const drivers = [...names]
    .filter((name) => used === undefined || used.has(name))
    .sort(compareText)
    .map((name): KnownDriver => {
      const object = found.get(name);
      return {
        name,
        ...(object && { object }),
        ...((object !== undefined || objects.complete) && { isInstalled: object !== undefined }),
        classes: (byDriver.get(name) ?? []).map(({ metadata }) => metadata.name),
      };
    });
  const complete = [objects, csiNodes].filter((listing) => listing.complete).length;
  return { extent: extentOf(complete, drivers.length), drivers };
}

/** By how many of the two lists of drivers are complete. */
function extentOf(complete: number, found: number): Extent {
  if (complete === 2) return 'all';
  return complete === 1 || found > 0 ? 'some' : 'none';
}

/** The driver that serves a class, also one that took over an in-tree plugin; empty if there is none. */
export function driverOfClass({ provisioner = '' }: StorageClass): string {
  return provisioner === noProvisioner ? '' : (driverOfInTree(provisioner) ?? provisioner);
}
