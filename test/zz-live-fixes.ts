import { openCluster } from '../src/cli/cluster-source.ts';
import { diagnose } from '../src/core/engine/diagnose.ts';
import { foreseeFix, isProvenByObjects } from '../src/core/engine/fixes/foresee-fix.ts';
import { proveFixes } from '../src/core/engine/fixes/prove-fixes.ts';
import { startApiServer } from '../src/sim/api-server.ts';
import { loadScenarios } from './kit/scenario.ts';
const word = process.argv[2] ?? '';
let reqs = 0, same = 0, diff = 0, afterFile = 0, afterLive = 0;
const left = loadScenarios().filter(({ id }) => id.includes(word));
const work = async (): Promise<void> => {
  for (let s = left.shift(); s; s = left.shift()) {
    const fd = diagnose(s.snapshot, { targets: [s.target] });
    const [file] = proveFixes(fd.report, s.snapshot).items;
    const server = await startApiServer(s.snapshot, { now: () => Date.parse(s.snapshot.takenAt), renewsLeases: false, faults: { deny: (k: string) => s.file.denied?.includes(k as never) === true } });
    const source = await openCluster({ server: server.url, kubeconfig: '/dev/null' });
    const d = await source.diagnose({ targets: [s.target], namespace: s.target.namespace, everywhere: false, selector: undefined, breadth: 'everything', asksWhoWaits: true, foresees: true });
    const [live] = proveFixes(d.report, d.snapshot).items;
    reqs += server.requests.length; if (server.requests.length > 40) console.log("MANY", s.id, server.requests.length); await source.close(); await server.close();
    const fixesOf = (i: typeof file) => i?.findings.find((f) => f.role === 'cause')?.fix ?? [];
    const [a, b] = [fixesOf(file)[0], fixesOf(live)[0]];
    const af = fixesOf(file).filter((f) => f.after).length, bf = fixesOf(live).filter((f) => f.after).length;
    afterFile += af; afterLive += bf;
    if (af !== bf) {
      const needs: any[] = [];
      const proven = d.report.items[0] && isProvenByObjects(d.snapshot, d.report.items[0]);
      for (const f of fixesOf(d.report.items[0])) foreseeFix(d.snapshot, d.report.items[0]!, f, { parse: (t) => [JSON.parse(t)], needs });
      console.log('AFTER', s.id, af, bf, 'proven', proven, [...new Set(needs.map((n) => n.kind + JSON.stringify(n.scope)))].join(' '));
    }
    const c = (x: typeof a) => JSON.stringify([x?.commands ?? x?.command, x?.text]);
    if (c(a) === c(b)) same += 1;
    else { diff += 1; console.log('DIFF', s.id, file?.cause, '\n   file:', c(a).slice(0, 400), '\n   live:', c(b).slice(0, 400)); }
  }
};
await Promise.all([work(), work(), work(), work()]);
console.log({ requests: reqs, same, diff, afterFile, afterLive });
