import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, expect, test } from 'vitest';
import { VARIABLES } from '../../src/app/config/variables.ts';
import { createTestDatabase, forewordProgram, startService } from '../harness/index.ts';
import { findProgram } from './programs.ts';

const ROOT = path.join(import.meta.dirname, '../../../..');
const CHART = path.join(ROOT, 'deploy/helm/foreword');
const SCHEMA = JSON.parse(fs.readFileSync(path.join(CHART, 'values.schema.json'), 'utf8'));
/** Where Debian installs Go libraries. */
const DEBIAN_GO = '/usr/share/gocode';

// biome-ignore lint/suspicious/noExplicitAny: objects of the Kubernetes API; the compiler checks them in a test of its own.
type KubernetesObject = any;

// Below node_modules, so that the compiler finds the types.
fs.mkdirSync(path.join(ROOT, 'node_modules/.cache'), { recursive: true });
const folder = fs.mkdtempSync(path.join(ROOT, 'node_modules/.cache/chart-'));
for (const library of ['github.com/Masterminds/sprig', 'sigs.k8s.io/yaml']) {
  if (fs.existsSync(path.join(DEBIAN_GO, 'src', library))) continue;
  throw new Error(`${library} not found: apt-get install golang-github-masterminds-sprig-dev golang-k8s-sigs-yaml-dev`);
}
const source = path.join(import.meta.dirname, 'chart/render.go');
const env = { ...process.env, GO111MODULE: 'off', GOPATH: DEBIAN_GO, GOCACHE: path.join(os.tmpdir(), 'foreword-go') };
execFileSync(findProgram('go', 'golang-go'), ['build', '-o', path.join(folder, 'render'), source], { env });
afterAll(async () => {
  fs.rmSync(folder, { recursive: true, force: true });
});

function tryRender(values: object) {
  const { status, stdout, stderr } = spawnSync(path.join(folder, 'render'), [CHART], {
    input: JSON.stringify(values),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

function render(values: object): { objects: KubernetesObject[]; notes: string } {
  const { status, stdout, stderr } = tryRender(values);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const MINIMAL = {
  settings: { PUBLIC_URL: 'https://intros.acme.example' },
  secrets: { DATABASE_URL: 'postgres://db/foreword', SERVER_KEY: '5e'.repeat(32), OBJECTS_URL: 's3://k:s@s3/bucket' },
};

const autoscaling = { enabled: true, minReplicas: 2 };
/** Everything that is optional. */
const COMPLETE = {
  image: { repository: 'registry.example.com/foreword', tag: 'v1' },
  imagePullSecrets: [{ name: 'registry' }],
  settings: { ...MINIMAL.settings, UPLOAD_MAX_MB: 250, TRUSTED_PROXIES: 'private, 203.0.113.0/24' },
  existingSecret: 'acme-secrets',
  videos: { existingClaim: 'videos' },
  api: { autoscaling },
  worker: { autoscaling },
  media: { autoscaling },
  ingress: {
    enabled: true,
    host: 'intros.acme.example',
    tlsSecret: 'tls',
    className: 'nginx',
    annotations: { a: 'b' },
    linkDomains: [{ host: 'go.acme.example', tlsSecret: 'go-tls' }],
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  serviceAccount: { annotations: { a: 'b' } },
  extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/ca' }],
  podAnnotations: { a: 'b' },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'a', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
};

const named = (objects: KubernetesObject[], kind: string) => objects.filter((one) => one.kind === kind);
const podsOf = (objects: KubernetesObject[]) =>
  [...named(objects, 'Deployment'), ...named(objects, 'Job')].map(({ spec }) => spec.template.spec);

/** The module of kubernetes-types for an `apiVersion`. */
const typesOf = (apiVersion: string) =>
  apiVersion.includes('/') ? apiVersion.replace(/\.k8s\.io/, '') : `core/${apiVersion}`;

/** Unknown fields, missing fields and wrong types of literals are errors for the compiler. */
function typeCheck(objects: KubernetesObject[]): string {
  const lines = objects.map(
    (one, n) =>
      `import type { ${one.kind} as T${n} } from 'kubernetes-types/${typesOf(one.apiVersion)}';\n` +
      `export const object${n}: T${n} = ${JSON.stringify(one, null, 1)};\n`,
  );
  const file = path.join(folder, 'objects.ts');
  fs.writeFileSync(file, lines.join(''));
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'preserve', '--ignoreConfig', '--types', ''];
  const tsc = path.join(ROOT, 'node_modules/.bin/tsc');
  return spawnSync(tsc, [...options, file], { encoding: 'utf8' }).stdout;
}

test('every object of the chart is valid for the Kubernetes API, with the fewest values and with every option', () => {
  const rendered = [MINIMAL, COMPLETE].map((values) => render(values).objects);
  for (const objects of rendered) {
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  }
  // Defined by the Prometheus operator, not by Kubernetes.
  const objects = rendered.flat().filter(({ kind }) => kind !== 'ServiceMonitor');
  expect(typeCheck(objects)).toBe('');
  // The check finds mistakes.
  const [first] = named(objects, 'Deployment');
  first.spec.template.spec.containers[0].readynessProbe = {};
  expect(typeCheck([first])).toContain('readynessProbe');
});

test('the schema of the values accepts the defaults and every variable, and nothing else', () => {
  const ajv = new Ajv({ strict: false });
  const isValid = ajv.compile(SCHEMA);
  for (const values of [MINIMAL, COMPLETE]) expect(isValid(values), JSON.stringify(isValid.errors)).toBe(true);
  const setByChart = ['PORT', 'HOST', 'DATA_DIR', 'FOREWORD_ROLE'];
  for (const name of VARIABLES) {
    expect(isValid({ settings: { [name]: 'x' } }), name).toBe(!setByChart.includes(name));
    expect(isValid({ secrets: { [name]: 'x' } }), name).toBe(!setByChart.includes(name));
  }
  expect(isValid({ settings: { PUBLIC_ULR: 'x' } })).toBe(false);
  expect(isValid({ settings: { FOREWORD_DEMO: false } })).toBe(false);
  expect(isValid({ api: { replica: 2 } })).toBe(false);
});

test('settings and secrets reach every pod and the migration job', () => {
  const { objects } = render(MINIMAL);
  for (const name of ['acme-foreword', 'acme-foreword-migrate']) {
    const one = (kind: string) => named(objects, kind).find(({ metadata }) => metadata.name === name);
    expect(one('ConfigMap').data).toEqual({ ...MINIMAL.settings, FOREWORD_DEMO: 'off' });
    expect(one('Secret').stringData).toEqual(MINIMAL.secrets);
  }
  for (const { spec, metadata } of [...named(objects, 'Deployment'), ...named(objects, 'Job')]) {
    const name = metadata.name.endsWith('-migrate') ? 'acme-foreword-migrate' : 'acme-foreword';
    expect(spec.template.spec.containers[0].envFrom).toEqual([{ configMapRef: { name } }, { secretRef: { name } }]);
  }
  expect(named(render(COMPLETE).objects, 'Secret')).toEqual([]);
});

test('every pod runs without privileges, on a read-only file system, and within limits', () => {
  const pods = podsOf(render(COMPLETE).objects);
  expect(pods).toHaveLength(4);
  for (const pod of pods) {
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    const [{ securityContext, resources }] = pod.containers;
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(resources.limits.memory).toMatch(/^\d+[MG]i$/);
  }
});

test('the ingress routes everything public and nothing that is for operators', () => {
  const [ingress] = named(render(COMPLETE).objects, 'Ingress');
  const { paths } = ingress.spec.rules[0].http;
  const routes = paths.map(({ path, pathType }: Record<string, string>) => `${pathType} ${path}`);
  expect(routes[0]).toBe('Exact /');
  expect(routes).toEqual(
    expect.arrayContaining(['Prefix /v1', 'Prefix /r', 'Prefix /i', 'Prefix /console', 'Prefix /mcp']),
  );
  expect(routes.join()).not.toMatch(/healthz|readyz|metrics|Prefix \/(,|$)/);
  const [, domain] = ingress.spec.rules;
  expect([domain.host, domain.http.paths[0].path]).toEqual(['go.acme.example', '/']);
  expect(ingress.spec.tls).toEqual([
    { hosts: ['intros.acme.example'], secretName: 'tls' },
    { hosts: ['go.acme.example'], secretName: 'go-tls' },
  ]);
});

test('Prometheus reads the metrics where they are, with their token', () => {
  const read = (values: object) => {
    const { objects } = render({ serviceMonitor: { enabled: true }, ...values });
    const [, metrics] = named(objects, 'Service');
    const [monitor] = named(objects, 'ServiceMonitor');
    // The alerts name this job.
    expect(metrics.metadata.labels[monitor.spec.jobLabel]).toBe('foreword');
    return [metrics.spec.ports[0].targetPort, monitor.spec.endpoints[0].authorization];
  };
  const token = (name: string) => ({ credentials: { name, key: 'METRICS_TOKEN' } });
  expect(read(MINIMAL)).toEqual([3000, undefined]);
  const settings = { ...MINIMAL.settings, METRICS_PORT: 9464 };
  const secrets = { ...MINIMAL.secrets, METRICS_TOKEN: 'a-token-of-the-metrics' };
  expect(read({ settings, secrets })).toEqual([9464, token('acme-foreword')]);
  const serviceMonitor = { ...COMPLETE.serviceMonitor, token: true };
  expect(read({ ...COMPLETE, serviceMonitor })).toEqual([3000, token('acme-secrets')]);
});

test.each([
  ['settings.PUBLIC_URL', { ...MINIMAL, settings: {} }],
  ['secrets.DATABASE_URL', { ...MINIMAL, secrets: { ...MINIMAL.secrets, DATABASE_URL: '' } }],
  ['secrets.SERVER_KEY', { ...MINIMAL, secrets: { ...MINIMAL.secrets, SERVER_KEY: '' } }],
  ['videos.existingClaim', { ...MINIMAL, secrets: { ...MINIMAL.secrets, OBJECTS_URL: '' } }],
  ['settings.METRICS_TOKEN', { ...COMPLETE, settings: { ...MINIMAL.settings, METRICS_TOKEN: 'x' } }],
  ['ingress.host', { ...MINIMAL, ingress: { enabled: true } }],
])('an installation that could not work is refused with the name of the value: %s', (name, values) => {
  const { status, stderr } = tryRender(values);
  expect(status).toBe(1);
  expect(stderr).toContain(name);
});

test('the notes name the address and the next command', () => {
  const { notes } = render(MINIMAL);
  expect(notes).toContain('https://intros.acme.example');
  expect(notes).toContain('deployment/acme-foreword-api -- foreword org create');
});

test('the command of the migration job and the metric of the autoscaler exist', async () => {
  const { objects } = render(COMPLETE);
  const [job] = named(objects, 'Job');
  const [program, ...args] = job.spec.template.spec.containers[0].command;
  // The image has the command on its PATH.
  expect(program).toBe('foreword');
  const database = await createTestDatabase();
  const environment = { DATABASE_URL: database.url };
  expect(await forewordProgram(environment, ...args)).toEqual({ object: 'migrations', status: 'applied' });
  const service = await startService({ ...environment, FOREWORD_DEMO: 'off', FOREWORD_ROLE: 'worker' });
  const worker = named(objects, 'HorizontalPodAutoscaler').find(({ metadata }) => metadata.name.endsWith('-worker'));
  const { name } = worker.spec.metrics[0].external.metric;
  expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(new RegExp(`^${name} \\d`, 'm'));
  await service.stop();
  await database.drop();
});
