import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ALERTS, RECORDED } from '../../src/alerts.ts';
import { anEvent, eventually } from '../acceptance/support/actions.ts';
import { forFile, freePort, openService } from '../harness/index.ts';
import { findProgram } from './programs.ts';

const ROOT = path.join(import.meta.dirname, '../../../..');
const DEPLOY = path.join(ROOT, 'deploy/observability');
const TOKEN = 'a-token-of-the-metrics';

let url: string;
let stopPrometheus: () => Promise<void>;

/** The files that we ship, with this service as the target and a second between scrapes. */
async function configure(target: string): Promise<void> {
  const shipped = await fs.readFile(path.join(DEPLOY, 'prometheus.yml'), 'utf8');
  const replacements: [from: string, to: string][] = [
    ['scrape_interval: 15s', 'scrape_interval: 1s'],
    ['evaluation_interval: 15s', 'evaluation_interval: 1s'],
    ['    # authorization:\n    #   credentials_file:', '    authorization:\n      credentials_file:'],
    ['127.0.0.1:3000', target],
  ];
  let text = shipped;
  for (const [from, to] of replacements) {
    expect(text).toContain(from);
    text = text.replace(from, to);
  }
  await fs.writeFile(path.join(folder, 'prometheus.yml'), text);
  await fs.writeFile(path.join(folder, 'metrics-token'), TOKEN);
  await fs.copyFile(path.join(DEPLOY, 'rules.yml'), path.join(folder, 'rules.yml'));
}

async function startPrometheus(): Promise<void> {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const child = spawn(
    findProgram('prometheus', 'prometheus'),
    [
      `--config.file=${path.join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${path.join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  stopPrometheus = async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await eventually(isReady, (ready) => ready);
}

const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'foreword-monitoring-'));
const service = await forFile(openService({ FOREWORD_ROLE: 'all', METRICS_TOKEN: TOKEN }));
await configure(new URL(service.service.url).host);
await startPrometheus();
afterAll(async () => {
  await stopPrometheus?.();
  await fs.rm(folder, { recursive: true, force: true });
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
  const rules = execFileSync(promtool, ['check', 'rules', path.join(DEPLOY, 'rules.yml')], { encoding: 'utf8' });
  expect(rules).toContain(`${ALERTS.length + Object.keys(RECORDED).length} rules found`);
  const config = execFileSync(promtool, ['check', 'config', path.join(DEPLOY, 'prometheus.yml')], { encoding: 'utf8' });
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
  await expect.poll(async () => (await query('up{job="foreword"} == 1')).length).toBe(1);
  let sent = 0;
  const measured = async () => {
    await send(sent++);
    const both = 'foreword:accept_seconds:p99 > 0 and on () foreword:process_seconds:p99 > 0';
    return (await query(both)).length;
  };
  await expect.poll(measured, { timeout: 30_000 }).toBe(1);
  const dashboard = JSON.parse(await fs.readFile(path.join(DEPLOY, 'dashboard.json'), 'utf8')) as Dashboard;
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
  const response = await fetch(`${url}/api/v1/rules`);
  const { data } = (await response.json()) as {
    data: { groups: { rules: { name: string; health: string; state?: string; lastError?: string }[] }[] };
  };
  const rules = data.groups.flatMap((group) => group.rules);
  expect(rules.map(({ name }) => name).toSorted()).toEqual(
    [...ALERTS.map(({ name }) => name), ...Object.keys(RECORDED)].toSorted(),
  );
  expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  // The disk of this machine may be nearly full.
  const active = rules.filter(
    ({ state, name }) => state !== undefined && state !== 'inactive' && name !== 'ForewordStorageLow',
  );
  expect(active).toEqual([]);
});

test('an alert becomes active when the process does not respond', async () => {
  await service.service.kill();
  const pending = async () => (await query('ALERTS{alertname="ForewordDown"}')).map(({ metric }) => metric.alertstate);
  await expect.poll(pending, { timeout: 30_000 }).toEqual(['pending']);
});

test('every alert has instructions', async () => {
  const guide = await fs.readFile(path.join(ROOT, 'docs/self-hosting/monitoring.md'), 'utf8');
  const headings = [...guide.matchAll(/^### (\S+)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(ALERTS.map(({ name }) => name));
});
