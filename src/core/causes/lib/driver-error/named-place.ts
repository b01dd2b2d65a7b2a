/** Words that stand behind "pool" or "node" and are no names. */
const noName =
  /^(?:is|are|was|has|have|had|with|for|of|to|in|on|at|and|or|not|no|full|out|does|do|cannot|can|failed|name|size|type|free|space|capacity|that|which|the|a|an|this|selection|id)$/i;

function named(pattern: RegExp, text: string): string | undefined {
  const name = pattern.exec(text)?.[1]?.replace(/[.:]+$/, '');
  return name === undefined || name === '' || noName.test(name) ? undefined : name;
}

/** `storage pool lvm-thin`, `pool 'tank/k8s'`, `volume group "vg0"`. */
export function poolNamedIn(text: string): string | undefined {
  return named(/\b(?:pool|volume group|vg|aggregate|datastore)(?: name)?[ :=]+['"]?([\w.:/-]+)/i, text);
}

/** `on node worker-2`. */
export function nodeNamedIn(text: string): string | undefined {
  return named(/\b(?:on|of|at) (?:the )?(?:node|host) ['"]?([a-z0-9][a-z0-9.-]*)/i, text);
}
