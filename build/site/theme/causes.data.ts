import type { CauseEntry } from '../page-data.ts';

export declare const data: Readonly<Record<string, CauseEntry>>;

/** Read when the site is built, as landing.data.ts is; loaded when the paste box first needs it. */
const path = new URL('../page-data.ts', import.meta.url).href;
const { causeData } = (await import(path)) as { readonly causeData: () => Readonly<Record<string, CauseEntry>> };

export default { load: causeData };
