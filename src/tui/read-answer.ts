import { isKnownKind } from '../core/kube/kinds.ts';
import type { TargetRef } from '../core/kube/selection.ts';
import type { RawObject } from '../core/kube/snapshot.ts';
import type { ComponentLog } from '../core/report/component-log.ts';
import type { ObjectRef } from '../core/report/report.ts';
import type { ClusterFeed, TuiPorts } from './ports.ts';
import type { Want, Wanted, WantType } from './state/answers.ts';

/** Asks the cluster, or what is known without one. */
export async function readAnswer<Type extends WantType>(
  want: Want<Type>,
  ports: TuiPorts,
  feed: ClusterFeed | undefined,
): Promise<Wanted[Type]> {
  return readers[want.type](want, ports, () => {
    if (feed === undefined) throw new Error('no cluster is open');
    return feed;
  });
}

type Reader<Type extends WantType> = (
  want: Want<Type>,
  ports: TuiPorts,
  feed: () => ClusterFeed,
) => Promise<Wanted[Type]> | Wanted[Type];

const readers: { readonly [Type in WantType]: Reader<Type> } = {
  why: ({ target }, _ports, feed) => (isJudged(target) ? feed().why(target) : undefined),
  trace: ({ target }, _ports, feed) => (isJudged(target) ? feed().trace(target) : undefined),
  yaml: async ({ target }, _ports, feed) => (isJudged(target) ? yamlOf(await feed().object(target)) : undefined),
  events: ({ target }, _ports, feed) => feed().events(target !== undefined && isJudged(target) ? target : undefined),
  page: ({ cause }, ports) => ports.causePage(cause),
  rows: ({ kind }, _ports, feed) => feed().rows(kind),
  probe: ({ driver, exec }, _ports, feed) => feed().probe(driver, { exec }),
  log: ({ target }, _ports, feed) => (isJudged(target) ? feed().log(target) : noLog),
  status: (_want, _ports, feed) => feed().status(),
  namespaces: (_want, _ports, feed) => feed().namespaces(),
  contexts: (_want, ports) => ports.contexts(),
};

const noLog: ComponentLog = { reason: 'Nothing more is known about this kind of object.', parts: [], commands: [] };

function isJudged(target: ObjectRef): target is ObjectRef & TargetRef {
  return isKnownKind(target.kind);
}

/** As `kubectl get -o yaml` shows it, without the record of who wrote which field. */
async function yamlOf(object: RawObject | undefined): Promise<string | undefined> {
  if (object === undefined) return undefined;
  const { renderYaml } = await import('../terminal/structured.ts');
  const { managedFields: _, ...metadata } = object.metadata;
  return renderYaml({ ...object, metadata });
}
