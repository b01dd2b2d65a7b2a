import { endOfSource, inChosenCluster } from '../../cli/chosen-cluster.ts';
import { whatIf as rehearse } from '../../commands/what-if/answer.ts';
import { misnomerError } from '../../commands/what-if/misnomer.ts';
import { parseOperations } from '../../commands/what-if/parse.ts';
import { renderWhatIf } from '../../commands/what-if/text.ts';
import { exitCodeOfWhatIf } from '../../cli/exit-codes.ts';
import { UserError } from '../../core/kube/errors.ts';
import { readManifestText } from '../../io/files/manifests.ts';
import { defineTool, paper } from '../tool.ts';
import type { Tool } from '../tool.ts';
import { detailsField, manifestsField, namespaceField } from './fields.ts';

export const whatIf: Tool = defineTool({
  name: 'what_if',
  title: 'What would storage do?',
  description: `Plays an operation through on a copy of what the cluster looks like: which pods could not start again and why, what moves, what is deleted or left over. Nothing is changed.
Operations: "drain NODE", "lose NODE", "lose zone=ZONE", "delete TYPE/NAME" (ns, pvc, pv, sc, csidriver, node, vs, pod), "scale TYPE/NAME --replicas=N", "upgrade VERSION", and "apply" with the argument manifests. Ask before you suggest any of these.`,
  fields: {
    operations: {
      type: 'list',
      entry: 'an operation, such as "drain node-a"',
      mostEntries: 20,
      description: 'One operation per entry, played through together, such as ["drain node-a"].',
    },
    manifests: { ...manifestsField, description: `For "apply": ${manifestsField.description}` },
    namespace: { ...namespaceField, description: 'Namespace of the objects that are named.' },
    details: detailsField,
  },
  output: 'what-if',
  readsCluster: true,
  async run({ operations: written, manifests: text, namespace, details: wide }, { operator, open }) {
    const { words, replicas } = splitOperations(written);
    const manifests = text === undefined ? [] : await readManifestText(text, 'manifests');
    const particulars = { namespace: namespace ?? (operator.namespace || 'default'), replicas, manifests };
    // Mistakes in the words are reported before anything is read.
    await parseOperations(words, particulars);
    const source = await open();
    const place = namespace ?? (operator.namespace || source.namespace || 'default');
    const operations = await parseOperations(words, { ...particulars, namespace: place });
    const { report: found, misnomers } = await source.answer((snapshot) => rehearse(snapshot, operations, place));
    if (misnomers.length > 0) throw misnomerError(misnomers);
    const report = await inChosenCluster(found, operator);
    return {
      document: report,
      text: renderWhatIf(report, { ...paper, wide, endOf: endOfSource(operator) }),
      exitCode: exitCodeOfWhatIf(report),
      narrower: 'Ask for one operation at a time',
    };
  },
});

/** `scale deploy/web --replicas=0` has its number apart, as on the command line. */
function splitOperations(written: readonly string[]): { readonly words: string[]; readonly replicas: string[] } {
  if (written.length === 0) throw new UserError('no operation was given', 'Pass for example ["drain node-a"]');
  const replicas: string[] = [];
  const groups = written.map((operation) =>
    operation
      .trim()
      .split(/\s+/)
      .filter((word) => {
        const [, number] = /^--replicas=(.*)$/.exec(word) ?? [];
        if (number !== undefined) replicas.push(number);
        return number === undefined && word !== '';
      }),
  );
  return { words: groups.flatMap((group, index) => (index === 0 ? group : ['+', ...group])), replicas };
}
