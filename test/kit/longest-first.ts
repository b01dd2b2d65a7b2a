import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/**
 * The files that take longest, longest first. On a fresh checkout nothing is known about how long they take, and one of
 * them that is begun last would run alone at the end.
 */
const longest = [
  'cli/live-scenarios',
  'commands/rbac/rights',
  'scenarios',
  'site/browser',
  'commands/serve/browser',
  'cli/denied',
  'cli/contexts',
  'docs/cause-commands',
  'mcp/tools',
  'fixes',
  'commands/serve/serve',
  'commands/capture/capture',
  'commands/wait/wait',
  'attack/search-equals-name',
  'io/csi/many',
  'commands/get/get',
  'commands/serve/notify',
  'mcp/lifecycle',
  'io/csi/failure-classes',
  'attack/sick-server',
  'build/package',
  'sim/heals',
  'html/browser',
  'io/capture/answers',
  'core/survey/contexts/document-in-context',
  'core/survey/trace',
  'core/kube/command-context',
  'docs/cause-pages',
  'docs/words',
  'messages/known',
  'terminal/jsonpath/like-kubectl',
  'core/hostile-names',
  'io/capture/detect',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // What belongs to one project stays together, in the order of the projects.
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).sort((a, b) => rankOf(a) - rankOf(b)),
    );
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return rank < 0 ? longest.length : rank;
}
