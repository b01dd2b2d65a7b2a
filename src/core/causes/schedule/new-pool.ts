import type { PodCase } from '../../facts/pod/pod-case.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import type { Volume } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';

/** The command of a managed Kubernetes service that adds a node pool in a zone. */
export interface NewPool {
  /** As people call it: AKS. */
  readonly service: string;
  readonly command: string;
  /** The placeholders of the command, as words. */
  readonly placeholders: string;
}

type MakeCommand = (zone: string) => string;

/** A driver of a cloud shows which cloud it is; the labels of its nodes, that the service of this cloud manages them. */
const services: readonly {
  readonly driver: string;
  readonly service: string;
  readonly nodeLabel: RegExp;
  readonly command: MakeCommand;
}[] = [
  {
    driver: 'disk.csi.azure.com',
    service: 'AKS',
    nodeLabel: /^(?:kubernetes\.azure\.com\/|agentpool$)/,
    // The label is REGION-ZONE, and the command takes the number of the zone.
    command: (zone) =>
      'az aks nodepool add --resource-group PLACEHOLDER_GROUP --cluster-name PLACEHOLDER_CLUSTER ' +
      `--name PLACEHOLDER_POOL --node-count 1 --zones ${shellWord(/-(\d)$/.exec(zone)?.[1] ?? zone)}`,
  },
  {
    driver: 'pd.csi.storage.gke.io',
    service: 'GKE',
    nodeLabel: /^cloud\.google\.com\/gke-/,
    command: (zone) =>
      'gcloud container node-pools create PLACEHOLDER_POOL --cluster PLACEHOLDER_CLUSTER --location PLACEHOLDER_LOCATION ' +
      `--num-nodes 1 --node-locations ${shellWord(zone)}`,
  },
  {
    driver: 'ebs.csi.aws.com',
    service: 'EKS',
    nodeLabel: /^(?:eks\.amazonaws\.com|alpha\.eksctl\.io)\//,
    command: (zone) =>
      'eksctl create nodegroup --cluster PLACEHOLDER_CLUSTER --name PLACEHOLDER_POOL --nodes 1 ' +
      `--node-zones ${shellWord(zone)}`,
  },
];

/** For a volume in one zone of a cloud, in a cluster whose nodes were read and are known to be managed. */
export function newPoolCommand({ ask }: PodCase, volume: Volume): NewPool | undefined {
  const service = services.find(({ driver }) => driver === servingDriver(volume));
  const zone = zoneOfVolume(volume);
  if (!service || zone === undefined) return undefined;
  const isManaged = ask
    .seen('Node')
    .some(({ metadata }) => Object.keys(metadata.labels ?? {}).some((key) => service.nodeLabel.test(key)));
  if (!isManaged) return undefined;
  const command = service.command(zone);
  const words: Readonly<Record<string, string>> = {
    PLACEHOLDER_GROUP: 'resource group',
    PLACEHOLDER_CLUSTER: 'the cluster',
    PLACEHOLDER_LOCATION: 'its region or zone',
    PLACEHOLDER_POOL: 'the name of the new pool',
  };
  const used = [...new Set(command.match(/PLACEHOLDER_[A-Z]+/g) ?? [])];
  return {
    service: service.service,
    command,
    placeholders: `${used.map((name) => `${name}: ${words[name] ?? ''}`).join(', ')}`,
  };
}

/** The one zone of a volume that can be used in one zone only. */
function zoneOfVolume({ spec }: Volume): string | undefined {
  const values = (spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap(({ matchExpressions = [] }) =>
    matchExpressions.flatMap(({ key = '', operator, values: wanted = [] }) =>
      /zone$/.test(key) && operator === 'In' ? wanted : [],
    ),
  );
  const [zone, ...more] = new Set(values);
  return more.length === 0 ? zone : undefined;
}
