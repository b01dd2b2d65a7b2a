import { describe, expect, it } from 'vitest';
import { whatIf } from '../../../src/commands/what-if/answer.ts';
import { parseOperations } from '../../../src/commands/what-if/parse.ts';
import { renderWhatIf } from '../../../src/commands/what-if/text.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';

const demoTime = new Date('2026-05-06T07:08:09Z');

async function screenOf(words: string, replicas: readonly string[] = []): Promise<string> {
  const operations = await parseOperations(words.split(' '), { namespace: 'default', replicas, manifests: [] });
  const { report } = whatIf(demoSnapshot(demoTime), operations, 'default');
  return renderWhatIf(report, { width: 80, colour: false });
}

/** Screens are read by a person; `vitest -u` writes them again. */
describe('the text of what-if', () => {
  it.each([
    ['drain worker-2', 'what-if-drain', []],
    ['lose zone=zone-a', 'what-if-lose', []],
    ['delete ns/shop', 'what-if-delete-namespace', []],
    ['scale deploy/storage-system/disk-controller', 'what-if-scale-controller', ['0']],
  ])('%s', async (words, name, replicas) => {
    const screen = await screenOf(words, replicas);
    await expect(screen).toMatchFileSnapshot(`../../screens/${name}.80.txt`);
    const tooWide = screen.split('\n').filter((line) => line.length > 80 && !line.trimStart().startsWith('$'));
    expect(tooWide.filter((line) => !/[/_][\w.-]{40,}/.test(line))).toEqual([]);
  });
});
