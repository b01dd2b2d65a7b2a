import type { LandingData } from '../page-data.ts';

export declare const data: LandingData;

/** Read when the site is built. VitePress bundles this file, and Node.js reads what it imports as it is. */
const path = new URL('../page-data.ts', import.meta.url).href;
const { landingData } = (await import(path)) as { readonly landingData: () => LandingData };

export default { load: landingData };
