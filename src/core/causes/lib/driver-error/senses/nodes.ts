/** What storage systems say of the nodes that they serve, and of the places for their replicas. */

/** A node of the storage, by any name: it may be the name of a node of the cluster. */
export const nodeDownTexts =
  /\b(?:node|peer|member)\b[^;]{0,90}\b(?:is |are |was )?(?:not (?:online|running|ready|available|connected|reachable|healthy)|offline|down|unreachable|unavailable)\b/i;

/** An array knows machines as hosts, by the ports of their initiators. */
const hostTexts =
  /\bhosts?\b[^;]{0,160}\b(?:not found|(?:does|do) ?(?:not|n't) exist|(?:was|were) ?(?:not|n't) found|could ?(?:not|n't) be found|not (?:registered|defined|configured))\b|\b(?:no|(?:could not|couldn't|unable to|failed to) find(?: any| the| a)?) (?:matching |such )?host\b(?! (?:name|is known))|\b(?:initiators?|host ?groups?|igroups?|sdc)\b[^;]{0,80}\b(?:not found|(?:does|do) ?(?:not|n't) exist|not (?:registered|connected|logged in|mapped|defined))\b/i;
/** Names that could not be resolved, and the hosts of a hypervisor, are other things. */
const otherHosts =
  /\blookup\b|\bno such host\b|\bresolve\b|\besxi?\b|\bhypervisor\b|\bVMHost\b|\bHostSystem\b|https?:\/\/\S+:? not found/i;

export function saysHostMissing(words: string): boolean {
  return hostTexts.test(words) && !otherHosts.test(words);
}

/** The ports of a machine in the words: those that an array needs to define a host. */
export function portsIn(words: string): string[] {
  return [
    ...new Set(
      words.match(/\b(?:iqn\.\d{4}-\d\d\.[\w.:-]+|nqn\.\d{4}-\d\d\.[\w.:-]+|(?:[0-9a-f]{2}:){7}[0-9a-f]{2})/gi),
    ),
  ].map((port) => port.replace(/[.,:]+$/, ''));
}

/** Of the volume in the storage, not of the pod: the storage has found no place for its data. */
export const unplacedTexts =
  /\b(?:volumes?|replicas?|engine) (?:\S+ )?(?:is |are |was |were |has |have )?(?:not (?:been )?scheduled|unscheduled|not schedulable|unschedulable)\b|\breplicas?\b[^.;]{0,40}\bscheduling (?:has )?fail|\b(?:cannot|could not|failed to|unable to) (?:schedule|place) (?:\w+ ){0,2}replicas?\b/i;

const demand = String.raw`(?: (?:is not|isn't|must be|should be|has to be|needs to be|must|to be|other than|is required to be))+(?: set to| one of)? ["'\x60]?([A-Za-z][\w.-]*[\w])["'\x60]?`;
const stateWords =
  /^(?:set|supported|allowed|valid|found|empty|specified|known|available|enabled|present|compatible|unique|ready|equal|the|an?|in|attached|permitted|required|defined|provided)$/i;

/** The value that the words ask for, of a setting in the form that a sentence has: `attachment type is not paravirtualized`. */
export function wantedValueIn(text: string, setting: string): string | undefined {
  const wanted = new RegExp(`\\b${setting}${demand}`, 'i').exec(text)?.[1];
  return wanted === undefined || stateWords.test(wanted) ? undefined : wanted;
}
