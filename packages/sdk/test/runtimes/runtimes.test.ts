import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { buildSdk } from '../../../../scripts/packages/build.ts';
import { forFile, openService } from '../../../server/test/harness/index.ts';

const ROOT = path.join(import.meta.dirname, '../../../..');
/** Installed by the setup of the project. */
const PROGRAMS = path.join(import.meta.dirname, 'programs');
const run = promisify(execFile);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-sdk-'));
const application = path.join(folder, 'application');

/** The first program of an integrator. Uses no global that needs types of Node or of a browser. */
const PROGRAM = `
import { Foreword, ForewordNotFoundError } from '@foreword/sdk';
export async function main(apiKey: string, baseUrl: string, recordId: string): Promise<string> {
  const foreword = new Foreword({ apiKey, baseUrl });
  const idempotencyKey = Foreword.idempotencyKey({ source: 'crm', recordId, touchpoint: 'project_update' });
  const phone = Foreword.toE164('(500) 555-0123 x4', 'US');
  const member = { external_id: 'rep_17' };
  const body = { touchpoint: 'project_update', occurred_at: '2026-03-10T09:15:00Z', member, recipient: { first_name: 'Dana', phone } };
  const event = await foreword.events.create(body, { idempotencyKey });
  const { status, intro } = await foreword.events.waitFor(event.id);
  const missing = await foreword.intros.retrieve('int_none').catch((error: unknown) => error instanceof ForewordNotFoundError);
  let listed = false;
  for await (const { id } of foreword.intros.list()) if (id === intro) listed = true;
  return \`\${status} \${missing} \${listed}\`;
}
`;
const MAIN = `
import { main } from './program.js';
const [apiKey, baseUrl, recordId] = process.argv.slice(2);
console.log(await main(apiKey, baseUrl, recordId));
`;

const machine = process.arch === 'arm64' ? ['arm64', 'arm64', 'aarch64'] : ['x64', 'x64', 'x64'];
const RUNTIMES = [
  { name: 'Node 20', command: `node-linux-${machine[0]}/bin/node`, options: [] },
  { name: 'Deno', command: `@deno/linux-${machine[1]}-glibc/deno`, options: ['run', '--allow-net', '--no-remote'] },
  { name: 'Bun', command: `@oven/bun-linux-${machine[2]}/bin/bun`, options: ['run'] },
];

const compile = (file: string, ...options: string[]) =>
  run(
    path.join(ROOT, 'node_modules/.bin/tsc'),
    ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2022', ...options, file],
    { cwd: application },
  );

const { tarball } = buildSdk(folder);
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
fs.mkdirSync(application);
fs.writeFileSync(path.join(application, 'package.json'), '{"private":true,"type":"module"}');
await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: application });
fs.writeFileSync(path.join(application, 'program.ts'), PROGRAM);
fs.writeFileSync(path.join(application, 'main.js'), MAIN);
const fixture = await forFile(openService());

test('the tarball installs nothing else, and compiles strictly without types of Node and of browsers', async () => {
  expect(fs.readdirSync(path.join(application, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    '@foreword',
  ]);
  expect(fs.readdirSync(path.join(application, 'node_modules/@foreword'))).toEqual(['sdk']);
  // Checks the declarations of the package as well.
  await compile('program.ts', '--lib', 'es2022', '--types', '', '--skipLibCheck', 'false');
  expect(fs.existsSync(path.join(application, 'program.js'))).toBe(true);
});

test('the SDK takes the fetch, signals and headers of browsers and of Node, and refuses wrong requests', async () => {
  const types = `
    import type { IncomingHttpHeaders } from 'node:http';
    import { Foreword, type VerifiedWebhook } from '@foreword/sdk';
    const foreword = new Foreword({ apiKey: 'a', baseUrl: 'b', fetch });
    export const own = new Foreword({ apiKey: 'a', baseUrl: 'b', fetch: (url, request) => fetch(url, request) });
    const { signal } = new AbortController();
    export const list = foreword.intros.list({ status: ['ready', 'sent'] }, { signal });
    export const page: Promise<readonly string[]> = list.then(({ data }) => data.map(({ id }) => id));
    export const verify = (body: Buffer, headers: IncomingHttpHeaders) => foreword.webhooks.verify(body, headers);
    export const verifyFetch = async (request: Request) => foreword.webhooks.verify(await request.text(), request.headers);
    export const phoneOf = (webhook: VerifiedWebhook): string | null => {
      if (webhook.type === 'recipient.opted_out') return webhook.data.phone;
      return webhook.type === 'intro.ready' ? webhook.data.delivery.recipient_url : null;
    };
    const recipient = { first_name: 'Dana', phone: '+15005550123' };
    // @ts-expect-error a creation needs a key
    foreword.intros.create({ member: { id: 'mem_1' }, recipient });
    // @ts-expect-error two identifiers
    foreword.intros.create({ member: { id: 'a', email: 'b' }, recipient }, { idempotencyKey: 'a' });
    // @ts-expect-error not a status
    foreword.intros.list({ status: 'lost' });
    // @ts-expect-error a typo
    foreword.members.update('mem_1', { firstname: 'Ana' });`;
  fs.writeFileSync(path.join(application, 'types.ts'), types);
  const nodeTypes = path.join(ROOT, 'node_modules/@types');
  const withNode = ['--typeRoots', nodeTypes, '--types', 'node'];
  for (const library of ['es2022,dom,dom.iterable', 'es2022'])
    await compile('types.ts', '--noEmit', '--skipLibCheck', '--lib', library, ...withNode);
});

test.each(RUNTIMES)('$name reports an event, waits for it and finds its intro', async ({ name, command, options }) => {
  const { organization, service } = fixture;
  const program = path.join(PROGRAMS, 'node_modules', command);
  const { stdout } = await run(program, [...options, 'main.js', organization.key, service.url, name], {
    cwd: application,
    env: { HOME: folder, PATH: '', DENO_NO_UPDATE_CHECK: '1' },
  });
  expect(stdout).toBe('processed true true\n');
});

test('CommonJS on Node 20 can require the package', async () => {
  const program = `
    const { Foreword } = require('@foreword/sdk');
    console.log(Foreword.idempotencyKey({ source: 'crm', recordId: '1', touchpoint: 'project_update' }));`;
  fs.writeFileSync(path.join(application, 'main.cjs'), program);
  const node = path.join(PROGRAMS, 'node_modules', `node-linux-${machine[0]}/bin/node`);
  const { stdout, stderr } = await run(node, ['main.cjs'], { cwd: application, env: { HOME: folder, PATH: '' } });
  expect({ stdout, stderr }).toEqual({ stdout: expect.stringContaining('project_update'), stderr: '' });
});
