import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { ownMetrics } from '../../src/commands/serve/own-metrics.ts';
import { statusMetrics, ageMetric } from '../../src/commands/serve/metrics.ts';
import { emptyPicture } from '../../src/commands/serve/picture.ts';
import { stuckNotes } from '../../src/commands/serve/notes.ts';
import { readOptions } from '../../src/commands/serve/options.ts';
import { manifest } from '../../src/cli/manifest.ts';
import { askCheck } from '../../src/core/survey/checks/ask-check.ts';
import { checkReportOf } from '../../src/core/report/check.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import type { Snapshot } from '../../src/core/kube/snapshot.ts';
import { checkMetrics, unreadMetrics } from '../../src/terminal/metrics/check-metrics.ts';
import { renderPrometheus } from '../../src/terminal/metrics/exposition.ts';
import { parseExposition } from '../kit/exposition.ts';
import type { ParsedFamily } from '../kit/exposition.ts';
import { evaluate, firesAt } from '../kit/promql.ts';

const chart = 'build/chart';
const go = ['/usr/local/go/bin/go', 'go'].find((path) => spawnSync(path, ['version']).status === 0);

/** The objects that the chart makes of these values. */
function render(values: object): any[] {
  const usual = parse(readFileSync(join(chart, 'values.yaml'), 'utf8'));
  const data = {
    Values: merge(usual, values),
    Release: { Name: 'storage', Namespace: 'monitoring', Service: 'Helm' },
    Chart: {
      Name: 'kubectl-csi',
      Version: '1.2.3',
      AppVersion: '1.2.3',
      Home: 'https://github.com/kubectl-csi/kubectl-csi',
    },
  };
  const { status, stdout, stderr } = spawnSync(go ?? '', ['run', 'test/build/chart/main.go', chart], {
    input: JSON.stringify(data),
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return parseAllDocuments(stdout)
    .map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS();
    })
    .filter((object) => object !== null);
}

function merge(one: any, other: any): any {
  if (typeof one !== 'object' || one === null || Array.isArray(one) || typeof other !== 'object') return other;
  return { ...one, ...Object.fromEntries(Object.entries(other).map(([key, value]) => [key, merge(one[key], value)])) };
}

describe.skipIf(go === undefined)('the chart (skipped without Go, which renders it)', () => {
  const everything = {
    serve: {
      enabled: true,
      replicas: 2,
      readers: [{ kind: 'ServiceAccount', namespace: 'monitoring', name: 'prometheus-k8s' }],
      tls: { secretName: 'serve-tls' },
      notify: { secretName: 'serve-notify', headersKey: 'headers' },
      basePath: '/storage',
      objectLabels: true,
      serviceMonitor: { enabled: true },
      dashboard: { enabled: true },
    },
    prometheusRule: { enabled: true },
  };

  it('serves nothing unless asked', () => {
    const kinds = render({}).map(({ kind }) => kind);
    expect(kinds).not.toContain('Deployment');
    expect(kinds).not.toContain('Service');
  });

  it('runs serve with flags that it takes, and opens no door without checks', () => {
    const objects = render(everything);
    const deployment = objects.find(({ kind }) => kind === 'Deployment');
    const [container] = deployment.spec.template.spec.containers;
    const [command, ...words] = container.args as string[];
    expect(command).toBe('serve');
    const known = Object.keys(manifest.commands['serve']?.flags ?? {});
    const flags = words.map((word) => /^--([a-z-]+)(?:=(.*))?$/.exec(word));
    expect(flags.map((flag) => flag?.[1]).filter((name) => !known.includes(name ?? ''))).toEqual([]);
    const valueOf = (name: string): string[] =>
      flags.filter((flag) => flag?.[1] === name).map((flag) => flag?.[2] ?? '');
    const options = readOptions({
      address: valueOf('address').map((address) => address.replace('$(POD_IP)', '10.0.0.1')),
      port: valueOf('port')[0] ?? '',
      auth: valueOf('auth')[0],
      'base-path': valueOf('base-path')[0],
      'notify-file': valueOf('notify-file')[0],
      'notify-header-file': valueOf('notify-header-file')[0],
      'notify-after': '30s',
      lease: valueOf('lease')[0],
      'tls-cert': valueOf('tls-cert')[0],
      'tls-key': valueOf('tls-key')[0],
    });
    expect(options).toMatchObject({ auth: 'kubernetes', addresses: ['127.0.0.1', '10.0.0.1'], basePath: '/storage' });
    const mounts = container.volumeMounts.map(({ mountPath }: any) => mountPath as string);
    for (const flag of ['notify-file', 'notify-header-file', 'tls-cert', 'tls-key'])
      expect(
        mounts.some((path: string) => valueOf(flag)[0]?.startsWith(`${path}/`)),
        flag,
      ).toBe(true);
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
    expect(deployment.spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(container.livenessProbe.httpGet).toMatchObject({ path: '/healthz', scheme: 'HTTPS' });
    const service = objects.find(({ kind }) => kind === 'Service');
    expect(deployment.spec.template.metadata.labels).toMatchObject(service.spec.selector);
    const monitor = objects.find(({ kind }) => kind === 'ServiceMonitor');
    expect(monitor.spec.endpoints).toMatchObject([{ path: '/storage/metrics', scheme: 'https', honorLabels: true }]);
    expect(service.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels);
  });

  it('grants what is read and reviewed, and the one lease', () => {
    const objects = render(everything);
    const role = (name: string): any =>
      objects.find(({ kind, metadata }) => kind.endsWith('Role') && metadata.name === name);
    const verbs = (name: string, resource: string): string[] =>
      role(name)
        .rules.filter(({ resources }: any) => resources?.includes(resource))
        .flatMap((rule: any) => rule.verbs);
    const name = 'storage-kubectl-csi-serve';
    expect(verbs(name, 'persistentvolumeclaims')).toEqual(['get', 'list', 'watch']);
    expect(verbs(name, 'tokenreviews')).toEqual(['create']);
    expect(verbs(name, 'subjectaccessreviews')).toEqual(['create']);
    expect(
      role(name)
        .rules.flatMap((rule: any) => rule.verbs)
        .every((verb: string) => ['get', 'list', 'watch', 'create'].includes(verb)),
    ).toBe(true);
    expect(role(`${name}-lease`).rules).toMatchObject([
      { verbs: ['create'] },
      { resourceNames: [name], verbs: ['get', 'update'] },
    ]);
    expect(role(`${name}-reader`).rules).toEqual([
      { nonResourceURLs: ['/metrics', '/kubectl-csi', '/kubectl-csi/*'], verbs: ['get'] },
    ]);
    const bound = objects.find(
      ({ kind, metadata }) => kind === 'ClusterRoleBinding' && metadata.name === `${name}-reader`,
    );
    expect(bound.subjects).toEqual(everything.serve.readers);
  });

  it('has the alerts as they are in the file, with runbooks that exist', () => {
    const rule = render(everything).find(({ kind }) => kind === 'PrometheusRule');
    const rules = rule.spec.groups
      .flatMap((group: any) => group.rules)
      .filter(({ alert }: any) => !alert.startsWith('StorageCheck'));
    expect(rules.map(({ alert, expr, for: lasted }: any) => [alert, expr, lasted])).toEqual(
      alerts.map(({ alert, expr, for: lasted }) => [alert, expr, lasted]),
    );
    for (const { annotations } of rules)
      expect(annotations.runbook_url).toMatch(/^https:\/\/github\.com\/kubectl-csi\/kubectl-csi\/blob\/main\/docs\//);
  });
});

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly runbook: string;
  readonly summary: string;
}
const alerts = JSON.parse(readFileSync(join(chart, 'files/alerts.json'), 'utf8')) as AlertRule[];

/** What a scrape of `serve` holds, for a cluster in this state. */
function scrape(snapshot: Snapshot, isUp = true): Map<string, ParsedFamily> {
  const { survey, status, stuck } = askCheck(snapshot, { breadth: 'everything' });
  const findings = survey.findings.map((finding) => ({ ...finding, outcome: 'new' as const }));
  const check = checkReportOf(survey, { failOn: 'blocking', findings, unusedIgnores: [], gone: [] });
  return parseExposition(
    renderPrometheus([
      ...checkMetrics(check, isUp),
      ...statusMetrics(status, snapshot, false),
      ageMetric(stuckNotes(stuck), Date.parse(snapshot.takenAt)),
      ...ownMetrics(
        { version: '1', startedAt: 0, memoryBytes: 1, requests: new Map(), streams: 0, droppedStreams: 0 },
        emptyPicture('test', snapshot.takenAt),
      ),
    ]),
  );
}

describe('the alerts', () => {
  const broken = demoSnapshot(new Date('2026-05-06T07:08:09Z'));
  const empty: Snapshot = { ...broken, objects: [] };
  const ruleOf = (name: string): AlertRule => alerts.find(({ alert }) => alert === name)!;
  const result = (name: string, scraped: ReadonlyMap<string, ParsedFamily>) => evaluate(ruleOf(name).expr, scraped);
  const firing = (scraped: ReadonlyMap<string, ParsedFamily>): string[] =>
    alerts.filter(({ alert }) => result(alert, scraped).length > 0).map(({ alert }) => alert);

  it('fire for what is broken, and name it', () => {
    const scraped = scrape(broken);
    expect(firing(scraped)).toEqual(['StorageStuck', 'StorageDriverDown', 'StorageSidecarWithoutLeader']);
    expect(result('StorageStuck', scraped)).toContainEqual({
      labels: { cause: 'sc-missing', namespace: 'shop', kind: 'PersistentVolumeClaim' },
      value: 1,
    });
    expect(result('StorageDriverDown', scraped).map(({ labels }) => labels['driver'])).toContain(
      'files.csi.example.com',
    );
  });

  it('are silent for a cluster without trouble', () => {
    expect(firing(scrape(empty))).toEqual([]);
  });

  it('say that nothing is known when nothing can be read, and keep what was stuck', () => {
    expect(firing(scrape(broken, false))).toContain('StorageUnknown');
    expect(firing(scrape(broken, false))).toContain('StorageStuck');
    expect(firing(parseExposition(renderPrometheus(unreadMetrics())))).toEqual(['StorageUnknown']);
    expect(firing(new Map())).toEqual(['StorageWatchAbsent']);
  });

  it('fire for nodes without a driver, and for used slots', () => {
    const text = [
      '# HELP kubectl_csi_driver_nodes x',
      '# TYPE kubectl_csi_driver_nodes gauge',
      'kubectl_csi_driver_nodes{driver="d",state="missing"} 2',
      'kubectl_csi_driver_nodes{driver="d",state="ready"} 5',
      '# HELP kubectl_csi_volume_slots x',
      '# TYPE kubectl_csi_volume_slots gauge',
      'kubectl_csi_volume_slots{driver="d"} 100',
      'kubectl_csi_volume_slots{driver="e"} 100',
      '# HELP kubectl_csi_volume_slots_used x',
      '# TYPE kubectl_csi_volume_slots_used gauge',
      'kubectl_csi_volume_slots_used{driver="d"} 95',
      'kubectl_csi_volume_slots_used{driver="e"} 90',
      '',
    ].join('\n');
    const scraped = parseExposition(text);
    expect(result('StorageDriverMissingOnNodes', scraped)).toEqual([
      { labels: { driver: 'd', state: 'missing' }, value: 2 },
    ]);
    expect(result('StorageVolumeSlotsNearlyUsed', scraped)).toEqual([{ labels: { driver: 'd' }, value: 0.95 }]);
  });

  it('wait for their time, and begin again after a pause', () => {
    const { expr, for: lasted } = ruleOf('StorageStuck');
    const minutes = Number.parseInt(lasted, 10);
    const [stuck, healthy] = [evaluate(expr, scrape(broken)), evaluate(expr, scrape(empty))];
    const course = firesAt(
      [...Array(minutes).fill(stuck), healthy, ...Array(minutes + 1).fill(stuck), healthy],
      minutes,
    );
    expect(course.slice(0, -2).every((fired) => fired.length === 0)).toBe(true);
    expect(course.at(-2)?.length).toBe(stuck.length);
    expect(course.at(-1)).toEqual([]);
  });

  it('have a runbook each', () => {
    const page = readFileSync('docs/serve.md', 'utf8');
    for (const { alert, runbook } of alerts) {
      const [file = '', anchor] = runbook.split('#');
      if (anchor === undefined) expect(runbook).toBe('docs/causes/{{ $labels.cause }}.md');
      else
        expect([existsSync(file), page.includes(`### ${alert}\n`), anchor]).toEqual([true, true, alert.toLowerCase()]);
      expect(page).toContain(`### ${alert}\n`);
    }
  });

  it('and the dashboard use only metrics that exist', () => {
    const known = new Set(['kubectl_csi_fresh', ...scrape(broken).keys()]);
    const dashboard = JSON.parse(readFileSync(join(chart, 'files/dashboard.json'), 'utf8')) as {
      readonly panels: readonly any[];
    };
    const expressions = [
      ...alerts.map(({ expr }) => expr),
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }: any) => expr as string)),
    ];
    const used = new Set(expressions.flatMap((expression) => expression.match(/kubectl_csi_\w+|process_\w+/g) ?? []));
    expect([...used].filter((name) => !known.has(name))).toEqual([]);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });
});
