import { exampleOutput } from '../example-output.ts';
import type { ExampleOutput } from '../example-output.ts';
import { readCauses } from '../cause-facts.ts';

/** Read when the site is built. */
interface LandingData {
  readonly example: ExampleOutput;
  readonly causeCount: number;
}

export declare const data: LandingData;

export default { load: (): LandingData => ({ example: exampleOutput(), causeCount: readCauses().length }) };
