import { readCauses } from '../cause-facts.ts';

/** What the answers of the paste box show about a cause, by its id. Read when the site is built, loaded when it is first needed. */
export interface CauseEntry {
  readonly title: string;
  readonly isMessage: boolean;
  readonly stage?: string;
  readonly sentence: string;
}

export declare const data: Readonly<Record<string, CauseEntry>>;

function load(): Readonly<Record<string, CauseEntry>> {
  return Object.fromEntries(
    readCauses().map(({ id, title, isMessage, stages: [stage], sentence }) => [
      id,
      { title, isMessage, ...(stage !== undefined && { stage }), sentence },
    ]),
  );
}

export default { load };
