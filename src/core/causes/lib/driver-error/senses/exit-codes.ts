/**
 * What a program of the node ended with, where the text names the program: the codes of open-iscsi are in iscsiadm(8).
 */
export function iscsiCode(...codes: readonly number[]): RegExp {
  return new RegExp(
    String.raw`^(?=[^]*iscsi)[^]*(?:exit (?:status|code):? |"code": ?|reported error \()(?:${codes.join('|')})\b`,
    'i',
  );
}

/** iscsiadm found no record, target, session or portal of that name. */
export const noTargetTexts = iscsiCode(21);

/** A program failed, and the text names neither it nor a reason. Code 32 is that of mount(8). */
export const bareExitText =
  /^(?![^]*(?:\bu?mount(?:\.\w+)?\b|Mounting|-t (?:nfs|cifs|ceph)))[^]*exit status (?!32\b)\d+/;
