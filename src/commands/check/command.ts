import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.ts';
import { checkFormats } from './format.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import {
  connectionFlags,
  contextsFlags,
  generalFlags,
  junitFileFlag,
  outputFlag,
  scopeFlags,
  sourceFlags,
  usageFlags,
} from '../../cli/flags.ts';
import { runCheck } from './run.ts';

export default class Check extends BaseCommand {
  static override summary = 'Check the health of the storage, for CI';
  static override description = `Blocking findings (exit code 1):
  -  anything that is stuck
  -  drivers that are missing or not ready on a node
  -  sidecars without a leader
  -  mistakes with the default StorageClass

Warnings (exit code 1 with --fail-on warning):
  -  nodes, quotas and storage that are nearly full, with --usage volumes too
  -  leftovers: released and failed volumes, attachments, snapshot contents

The whole cluster is checked, or with -n the claims of one namespace and the drivers that serve them.`;
  static override examples = [
    { description: 'Check the whole cluster', command: 'kubectl csi check' },
    { description: 'Fail on warnings too', command: 'kubectl csi check --fail-on warning' },
    {
      description: 'After a deployment: wait until everything works or something is proven stuck',
      command: 'kubectl csi check -n shop --wait 5m',
    },
    { description: 'Fail only on new findings', command: 'kubectl csi check --baseline storage.json' },
    { description: 'Ignore one volume', command: 'kubectl csi check --ignore pv-released-retain:pvc-1234' },
    {
      description: 'Report volumes that are 80% full, as a Prometheus in the cluster measures them',
      command: 'kubectl csi check --usage --full-at 80',
    },
    { description: 'Check every cluster of the kubeconfig', command: 'kubectl csi check --all-contexts' },
    { description: 'Annotate a GitHub job', command: 'kubectl csi check -o github' },
    { description: 'Write a page for the artefacts of a job', command: 'kubectl csi check -o html > check.html' },
    {
      description: 'Check a dump and write a JUnit report',
      command: 'kubectl csi check --from dump/ -o junit > storage.xml',
    },
  ];
  static override flags = {
    namespace: scopeFlags.namespace,
    'all-namespaces': Flags.boolean({ char: 'A', summary: 'Check all namespaces (the default)' }),
    'fail-on': Flags.option({
      summary: 'Fail on blocking findings only, or on warning too',
      helpValue: 'SEVERITY',
      options: ['blocking', 'warning'] as const,
      default: 'blocking' as const,
    })(),
    ignore: Flags.string({
      summary: 'Ignore CAUSE or CAUSE:NAMESPACE/NAME; * matches any text (repeatable)',
      helpValue: 'CAUSE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    'ignore-file': Flags.string({
      summary: 'Read ignores from a file, one per line, the reason after #; .kubectl-csi-ignore if it exists',
      helpValue: 'FILE',
    }),
    baseline: Flags.string({ summary: 'Count only findings that are not in this file', helpValue: 'FILE' }),
    'write-baseline': Flags.string({ summary: 'Write the findings to this file', helpValue: 'FILE' }),
    wait: Flags.string({
      summary: 'Keep checking for this long, until everything works or something is proven stuck',
      helpValue: 'TIME',
    }),
    'full-at': Flags.string({
      summary: 'With --usage, report volumes that use at least this share of their space (default: 90)',
      helpValue: 'PERCENT',
    }),
    'inodes-full-at': Flags.string({
      summary: 'The same for their inodes (default: 90)',
      helpValue: 'PERCENT',
    }),
    unused: Flags.boolean({ summary: 'Report bound claims that no pod uses; reads all claims and pods' }),
    list: Flags.boolean({ summary: 'List the checks that are made in addition to the causes' }),
    output: outputFlag(checkFormats),
    ...junitFileFlag,
    ...usageFlags,
    ...sourceFlags,
    ...contextsFlags,
    ...generalFlags,
    ...connectionFlags,
  };

  override async run(): Promise<ExitCode> {
    const { flags } = await this.parse(Check);
    return runCheck(flags);
  }
}
