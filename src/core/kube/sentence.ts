/** A first word that is a name, and is written with a small letter even at the start of a sentence. */
const smallNames = new Set(['kubectl', 'kubectl-csi', 'kubelogin', 'gcloud']);

/**
 * A clause as a sentence: a capital letter and a full stop. A flag, a path, a quoted text and a command at the start
 * stay as they are, because they are copied.
 */
export function asSentence(clause: string): string {
  const text = clause.trim();
  const [word] = /^[a-z][a-z'-]*(?=[ ,:;]|$)/.exec(text) ?? [];
  const begun = word === undefined || smallNames.has(word) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return begun === '' || /[.!?…:]["')]?$/.test(begun) ? begun : `${begun}.`;
}
