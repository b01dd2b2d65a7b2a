/** Notes that name the object they are about. */
const hasSubject = /^(?:pod|pv|pvc|node|volume|statefulset|whether|which)\b/;
const participle = /^(?:not|held|being|kept|bound|attached|released|registered|mounted|installed|reported)\b/;
const verb = /^(?:grows|changes|waits|has)\b/;

/** The note of a stage as a sentence about its object: `pvc/data` + `not bound yet`. */
export function tellState(subject: string, note: string): string {
  const provisioner = /^no volume yet from (.+)$/.exec(note)?.[1];
  if (provisioner !== undefined) return `${provisioner} has not provisioned a volume for ${subject} yet`;
  if (note.startsWith(subject) || hasSubject.test(note)) return note;
  if (participle.test(note)) return `${subject} is ${note}`;
  return verb.test(note) ? `${subject} ${note}` : `${subject}: ${note}`;
}
