// GitHub reads a line that begins with `::NAME ::` as a command, also after blanks, and `##[NAME]` anywhere in a line;
// Azure reads `##vso[`, TeamCity `##teamcity[` (actions/runner ActionCommand.TryParseV2 and TryParse).
const atLineStart = /^(\s*):(?=:[A-Za-z][\w-]*(?:\s.*?)?::)/gm;
const anywhere = /##(vso|teamcity|section|command)?(?=\[)/gi;

/** Text that no CI system interprets as a command, wherever a driver's message or our wrapping breaks lines. */
export function defuse(text: string): string {
  const isPlain = !text.includes('::') && !text.includes('##');
  return isPlain ? text : text.replace(atLineStart, '$1: ').replace(anywhere, '##$1 ');
}

/** Whether a text would be changed, so that data is written in a form that keeps it. */
export function isExplosive(text: string): boolean {
  return defuse(text) !== text;
}

/** The same for JSON and double-quoted YAML strings, which can keep the data: `##\u005b`. */
export function defuseStrings(text: string): string {
  return text.includes('##') ? text.replace(/(##(?:vso|teamcity|section|command)?)\[/gi, '$1\\u005b') : text;
}
