import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { openSource } from '../../cli/open-source.ts';
import type { ClusterSource } from '../../cli/open-source.ts';
import { renderDocument } from '../../cli/render.ts';
import type { AccessAnswer, AccessReport, AccessRight } from '../../core/kube/access-right.ts';
import { UserError } from '../../core/kube/errors.ts';
import { complain, print, stdoutScreen } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';
import { planRoles, readQuestion } from './question.ts';
import type { RbacFlags, RightsQuestion } from './question.ts';
import { extraWords } from './rights.ts';

/** `rbac` from its words and flags to its exit code. */
export async function runRbac(words: readonly string[], flags: RbacFlags): Promise<ExitCode> {
  const question = await readQuestion(words, flags);
  const { commands, rights } = question;
  if (rights.length === 0) {
    await complain(
      `No rights are needed: ${commands.join(', ')} ${commands.length === 1 ? 'does' : 'do'} not read a cluster.`,
    );
    return exitCodes.ok;
  }
  return flags.check ? checkRights(question, flags) : printRoles(question, flags);
}

async function printRoles(question: RightsQuestion, flags: RbacFlags): Promise<ExitCode> {
  if (flags.output === 'text') throw new UserError('-o text needs --check', 'A role is printed as yaml or json');
  const plan = planRoles(question, flags);
  const { rolesDocument, renderRolesYaml } = await import('./manifest.ts');
  if (flags.output === undefined || flags.output === 'yaml') await print(await renderRolesYaml(plan));
  else {
    await print(await renderDocument(rolesDocument(plan), flags.output));
    // Only YAML has comments, so what is left out is reported on standard error.
    if (plan.notes.length > 1) await complain(plan.notes.slice(1).join('\n'));
  }
  return exitCodes.ok;
}

async function checkRights(question: RightsQuestion, flags: RbacFlags): Promise<ExitCode> {
  if (flags.bind !== undefined && flags.bind.length > 0)
    throw new UserError('--bind cannot be combined with --check', 'To check another user, use --as, as in kubectl');
  const source = await openSource({ ...flags, namespace: undefined });
  try {
    const items = await withProgress(`checking ${source.name}`, () => askForAll(source, question));
    const count = (allowed: boolean | undefined): number => items.filter((item) => item.allowed === allowed).length;
    const summary = { allowed: count(true), missing: count(false), unknown: count(undefined) };
    const report: AccessReport = {
      apiVersion: 'csi.kubectl.dev/v1',
      kind: 'AccessReport',
      source: { type: 'cluster', name: source.name },
      commands: question.commands,
      items,
      summary,
    };
    await print(await renderCheck(report, question, flags));
    if (summary.missing > 0) return exitCodes.blocked;
    return summary.unknown > 0 ? exitCodes.inconclusive : exitCodes.ok;
  } finally {
    await source.close();
  }
}

/** All at once: the client limits the number of requests at a time. */
async function askForAll(source: ClusterSource, { rights, namespaces }: RightsQuestion): Promise<AccessAnswer[]> {
  const questions = rights.flatMap((right) =>
    placesOf(right, namespaces).flatMap((namespace) => right.verbs.map((verb) => ({ right, verb, namespace }))),
  );
  return Promise.all(
    questions.map(async ({ right: { group, resource, tells }, verb, namespace }) => {
      const [plural = '', subresource] = resource.split('/');
      const place = namespace === undefined ? {} : { namespace };
      const part = subresource === undefined ? {} : { subresource };
      const allowed = await source.mayI({ verb, group, resource: plural, ...part, ...place });
      return { group, resource, verb, ...place, ...(allowed !== undefined && { allowed }), needed: tells };
    }),
  );
}

function placesOf({ namespaced }: AccessRight, namespaces: readonly string[]): readonly (string | undefined)[] {
  return namespaced && namespaces.length > 0 ? namespaces : [undefined];
}

async function renderCheck(report: AccessReport, question: RightsQuestion, flags: RbacFlags): Promise<string> {
  if (flags.output !== undefined && flags.output !== 'text') return renderDocument(report, flags.output);
  const { renderAccessCheck } = await import('./check.ts');
  const granting = [
    'kubectl csi rbac',
    ...(question.isAll ? [] : question.commands),
    ...question.extras.map(extraWords),
    ...question.namespaces.map((namespace) => `-n ${namespace}`),
  ].join(' ');
  return renderAccessCheck(report, { ...stdoutScreen(flags.color), granting, headers: !flags['no-headers'] });
}
