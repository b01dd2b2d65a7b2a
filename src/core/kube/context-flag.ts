import { shellWord } from './shell-word.ts';

/** `--context prod`; with an equals sign where the name could be taken for another flag. */
export function contextFlag(context: string, flag = '--context'): string {
  return context.startsWith('-') ? `${flag}=${shellWord(context)}` : `${flag} ${shellWord(context)}`;
}
