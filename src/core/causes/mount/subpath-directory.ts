import type { Pod } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';

/** Runs mkdir in a pod of its own that mounts the claim: no container of the stuck pod runs. */
export function makeDirectoryCommand({ metadata, spec }: Pod, claimName: string, path: string): string {
  const overrides = {
    spec: {
      ...(spec?.nodeName !== undefined && { nodeName: spec.nodeName }),
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
      containers: [
        {
          name: 'mkdir',
          image: 'busybox',
          command: ['mkdir', '-p', `/data/${path}`],
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
        },
      ],
    },
  };
  const place = metadata.namespace === undefined ? '' : `-n ${shellWord(metadata.namespace)} `;
  return `kubectl ${place}run make-directory --rm -i --restart=Never --image=busybox --overrides=${shellWord(JSON.stringify(overrides))}`;
}
