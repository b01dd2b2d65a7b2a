import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drawPictures, whyNoTui } from './pictures/draw.ts';

/** Writes the pictures of the README (`npm run pictures`). They need the built program: `npm run build`. */
const directory = join(import.meta.dirname, '../docs/images');
for (const [file, picture] of await drawPictures()) await writeFile(join(directory, file), picture);
const reason = whyNoTui();
if (reason !== undefined) process.stderr.write(`tui.svg was not drawn: ${reason}\n`);
