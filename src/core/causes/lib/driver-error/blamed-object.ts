const volumeNouns = /\b(?:volume|disk|lun|image)\b/;
const nodeNouns = /\b(?:node|instance|vm|server|host|droplet|machine)\b/;
const firstNoun =
  /^(?:the |could not find |unable to find |failed to (?:find|get) )*(volume|disk|node|instance|vm|server|host)\b/;

/** Which of the two a storage does not find, by its words: the one that they name, or else the one that they name first. */
export function blamedBy(words: string, handle: string | undefined, nodeId: string): 'volume' | 'node' | undefined {
  const text = words.toLowerCase();
  const saysVolume = (handle !== undefined && text.includes(handle.toLowerCase())) || volumeNouns.test(text);
  const saysNode = text.includes(nodeId.toLowerCase()) || nodeNouns.test(text);
  if (saysVolume !== saysNode) return saysVolume ? 'volume' : 'node';
  const subject = firstNoun.exec(text)?.[1];
  if (subject === undefined) return undefined;
  return subject === 'volume' || subject === 'disk' ? 'volume' : 'node';
}
