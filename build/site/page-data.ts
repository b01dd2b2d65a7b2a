import { readCauses } from './cause-facts.ts';
import { exampleOutput } from './example-output.ts';
import type { ExampleOutput } from './example-output.ts';

/** What the start page shows. */
export interface LandingData {
  readonly example: ExampleOutput;
  readonly causeCount: number;
}

export function landingData(): LandingData {
  return { example: exampleOutput(), causeCount: readCauses().length };
}

/** What the answers of the paste box show about a cause, by its id. */
export interface CauseEntry {
  readonly stage?: string;
  readonly sentence: string;
}

export function causeData(): Readonly<Record<string, CauseEntry>> {
  return Object.fromEntries(
    readCauses().map(({ id, stages: [stage], sentence }) => [id, { ...(stage !== undefined && { stage }), sentence }]),
  );
}
