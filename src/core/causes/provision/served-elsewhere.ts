import { isAlike, namedProvisioners } from '../../facts/driver/named-provisioners.ts';
import type { NamedProvisioner } from '../../facts/driver/named-provisioners.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { nearestName } from '../../kube/names.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { ClaimCase, PresentClaim } from '../../facts/claim/claim-case.ts';
import { recreateClass } from '../lib/remake-class.ts';
import type { Provisioner } from './provisioner.ts';

/** A provisioner that was most likely intended to be this one, and works under another name. */
export interface Namesake {
  readonly server: NamedProvisioner;
  /** One name is probably a misspelling of the other. */
  readonly isNear: boolean;
  /** Its name or its pods resemble the wanted one; otherwise it is only the single candidate. */
  readonly isLikely: boolean;
}

/** A provisioner looks at claims of its own name only (lib shouldProvision): under any other name it is not there. */
export function namesakeOf(c: ClaimCase, { name }: Provisioner): Namesake | undefined {
  const servers = namedProvisioners(c.ask);
  if (servers.some((server) => server.name === name)) return undefined;
  const near = nearestName(
    name,
    servers.map((server) => server.name),
  );
  const nearServer = servers.find((server) => server.name === near);
  if (nearServer) return { server: nearServer, isNear: true, isLikely: true };
  // A provisioner that another class names is used under its own name.
  const named = new Set(c.ask.seen('StorageClass').map(({ provisioner }) => provisioner));
  const idle = servers.filter((server) => !named.has(server.name));
  const alike = idle.find((server) => isAlike(server, name));
  const server = alike ?? (idle.length === 1 ? idle[0] : undefined);
  return server && { server, isNear: false, isLikely: alike !== undefined };
}

/** `pod/x in namespace y` */
export function serverText({ object }: NamedProvisioner): string {
  return `${object.kind.toLowerCase()}/${object.metadata.name} in namespace ${object.metadata.namespace ?? ''}`;
}

export function serverEvidence({ object, path, name }: NamedProvisioner): Evidence {
  return field(object, path, name);
}

/** The class takes the name under which the provisioner works. */
export function useNamesake(c: PresentClaim, { name }: NamedProvisioner): Fix {
  return recreateClass(c, `with provisioner ${name}, which runs here`, { provisioner: name });
}

/**
 * Instead of a new class: the provisioner takes the name that the class gives. The spec of a bare pod cannot be
 * changed.
 */
export function renameServer({ object, name, variable }: NamedProvisioner, wanted: string): Fix[] {
  const { namespace } = object.metadata;
  const owner = object.kind === 'Pod' ? ownerOf(object) : { kind: object.kind, name: object.metadata.name };
  if (!owner || variable === undefined) return [];
  return [
    fix(
      `If no class and no volume needs it as ${name}, let that provisioner serve ${wanted} instead. ` +
        'The claim is then provisioned automatically.',
      `kubectl ${inNamespace(namespace)}set env ${owner.kind.toLowerCase()} ${shellWord(owner.name)} ${variable}=${shellWord(wanted)}`,
      'disruptive',
    ),
  ];
}
