import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ALERTS, RECORDED } from '../../../../scripts/observability.ts';
import { anEvent } from '../acceptance/support/actions.ts';
import { forFile, freePort, openService } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { DEPLOY, readDeployFile } from './deploy-files.ts';
import { findProgram } from './programs.ts';

const NAMES = Object.values(ALERTS).flatMap(Object.keys);
const ROOT = path.join(import.meta.dirname, '../../../..');
const SHIPPED = path.join(DEPLOY, 'observability');
const TOKEN = 'a-token-of-the-metrics';

const folder = temporaryFolder();
const service = await forFile(openService({ FOREWORD_ROLE: 'all', METRICS_TOKEN: TOKEN }));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;

/** With the files that we ship, this service as the target, and a second between scrapes. */
function startPrometheus(): ChildProcess {
  const configuration = readDeployFile('observability/prometheus.yml', [
    ['scrape_interval: 15s', 'scrape_interval: 1s'],
    ['evaluation_interval: 15s', 'evaluation_interval: 1s'],
    ['    # authorization:\n    #   credentials_file:', '    authorization:\n      credentials_file:'],
    ['127.0.0.1:3000', new URL(service.service.url).host],
  ]);
  fs.writeFileSync(path.join(folder, 'prometheus.yml'), configuration);
  fs.writeFileSync(path.join(folder, 'metrics-token'), TOKEN);
  fs.copyFileSync(path.join(SHIPPED, 'rules.yml'), path.join(folder, 'rules.yml'));
  const args = [
    `--config.file=${path.join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${path.join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=error',
  ];
  return spawn(findProgram('prometheus', 'prometheus'), args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

const prometheus = startPrometheus();
afterAll(async () => {
  if (prometheus.exitCode === null && prometheus.kill()) await once(prometheus, 'exit');
});

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

async function query(expression: string): Promise<readonly Series[]> {
  const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expression })}`);
  const body = (await response.json()) as { status: string; error?: string; data: { result: readonly Series[] } };
  expect(body.error).toBeUndefined();
  return body.data.result;
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly type: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

test('promtool accepts the rules and the configuration', () => {
  const promtool = findProgram('promtool', 'prometheus');
  const rules = execFileSync(promtool, ['check', 'rules', path.join(SHIPPED, 'rules.yml')], { encoding: 'utf8' });
  expect(rules).toContain(`${NAMES.length + Object.keys(RECORDED).length} rules found`);
  const config = execFileSync(promtool, ['check', 'config', path.join(SHIPPED, 'prometheus.yml')], {
    encoding: 'utf8',
  });
  expect(config).toContain('SUCCESS');
});

test('every panel of the dashboard has data', async () => {
  // A rate needs the counters of two scrapes, with events in between.
  const send = async (n: number) => {
    const { status } = await service.api.post(
      '/v1/touchpoint-events',
      anEvent({ reference: { source: 'crm', id: `${n}` } }),
    );
    expect(status).toBe(202);
  };
  const isUp = async () => (await query('up{job="foreword"} == 1').catch(() => [])).length;
  await expect.poll(isUp).toBe(1);
  let sent = 0;
  const measured = async () => {
    await send(sent++);
    const both = 'foreword:accept_seconds:p99 > 0 and on () foreword:process_seconds:p99 > 0';
    return (await query(both)).length;
  };
  await expect.poll(measured).toBe(1);
  const dashboard = JSON.parse(fs.readFileSync(path.join(SHIPPED, 'dashboard.json'), 'utf8')) as Dashboard;
  const panels = dashboard.panels.filter(({ type }) => type !== 'row');
  expect(panels.length).toBeGreaterThan(15);
  const empty: string[] = [];
  for (const { title, targets = [] } of panels) {
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr } of targets) if ((await query(expr)).length === 0) empty.push(title);
  }
  expect(empty).toEqual([]);
});

test('every rule can be evaluated, and no alert is active while the service works', async () => {
  const listRules = async () => {
    const { data } = (await (await fetch(`${url}/api/v1/rules`)).json()) as {
      data: { groups: { rules: { name: string; health: string; state?: string; lastError?: string }[] }[] };
    };
    return data.groups.flatMap((group) => group.rules);
  };
  const rules = await listRules();
  expect(rules.map(({ name }) => name).toSorted()).toEqual([...NAMES, ...Object.keys(RECORDED)].toSorted());
  expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  // The disk of this machine may be nearly full, and the machine busy.
  const isAboutMachine = (name: string) => /StorageLow|Slow/.test(name);
  const active = async () =>
    (await listRules()).filter(({ state = 'inactive', name }) => state !== 'inactive' && !isAboutMachine(name));
  await expect.poll(active).toEqual([]);
});

test('an alert becomes active when the process does not respond', async () => {
  await service.service.kill();
  const pending = async () => (await query('ALERTS{alertname="ForewordDown"}')).map(({ metric }) => metric.alertstate);
  await expect.poll(pending).toEqual(['pending']);
});

test('every alert has instructions', () => {
  const guide = fs.readFileSync(path.join(ROOT, 'docs/self-hosting/monitoring.md'), 'utf8');
  const headings = [...guide.matchAll(/^### (Foreword\S+)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(NAMES);
});
