/** Words that YAML reads as something else than text. */
const reserved = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** A value from a cluster for a manifest: in quotes unless it is a plain name, and always on one line. */
export function yamlWord(text: string): string {
  return /^[a-z][\w./-]*$/i.test(text) && !reserved.test(text) ? text : JSON.stringify(text);
}
