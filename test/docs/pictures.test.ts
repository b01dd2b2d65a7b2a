import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { drawPictures, whyNoTui } from '../../build/pictures/draw.ts';

const directory = fileURLToPath(new URL('../../docs/images', import.meta.url));
const files = readdirSync(directory).filter((file) => file.endsWith('.svg'));
const missing = whyNoTui();
const canBeDrawn = (file: string): boolean => file !== 'tui.svg' || missing === undefined;
const read = (file: string): string => readFileSync(join(directory, file), 'utf8');

describe('the pictures in docs/images', () => {
  let drawn: ReadonlyMap<string, string>;
  beforeAll(async () => {
    drawn = await drawPictures();
  }, 120_000);

  it('are those that npm run pictures draws', () => {
    expect([...drawn.keys()].sort()).toEqual(files.filter(canBeDrawn).sort());
  });
  for (const file of files) {
    const reason = canBeDrawn(file) ? '' : ` (skipped: ${missing})`;
    it.skipIf(reason !== '')(`${file} shows what the program prints; otherwise run npm run pictures${reason}`, () => {
      expect(drawn.get(file)).toBe(read(file));
    });
  }
});

describe.each(files)('%s', (file) => {
  it('has a title and a description, and no script', () => {
    const picture = read(file);
    expect(picture).toMatch(/<title id="title">[^<]+<\/title>\n<desc id="description">[^<]+<\/desc>/);
    expect(picture).not.toMatch(/<script|<image|<foreignObject|\bon\w+=|https?:(?!\/\/www\.w3\.org\/2000\/svg")/);
  });
  it('has colours for light and dark pages', () => {
    expect(read(file)).toContain('@media (prefers-color-scheme:dark)');
  });
});

describe('demo.svg', () => {
  it('stands still for readers who prefer reduced motion', () => {
    expect(read('demo.svg')).toContain('@media (prefers-reduced-motion:reduce){*{animation:none!important}');
  });
  it('tells its story in its description: stuck, the cause, the fix, healthy', () => {
    const [, story] = /<desc id="description">([^<]+)<\/desc>/.exec(read('demo.svg')) ?? [];
    expect(story).toMatch(
      /pvc\/assets {2}namespace web {2}Pending[^]*Cause: provisioner-not-running[^]*\$ kubectl -n storage-system scale deployment files-controller --replicas=1\ndeployment\.apps\/files-controller scaled[^]*pvc\/assets {2}namespace web {2}Bound/,
    );
  });
});
