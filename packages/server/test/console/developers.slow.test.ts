import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { RECEIVER, type Sample, TYPESCRIPT } from '../../../web/console/pages/developers/snippets.ts';
import { collectText, createApi, forFile, sleep } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { openTeam } from './team-fixture.ts';

const folder = temporaryFolder();
const team = await forFile(openTeam());
const sample: Sample = {
  url: team.service.url,
  key: null,
  touchpoint: { slug: 'new_appointment', context: 'appointment' },
  member: { id: team.organization.memberId, external_id: 'rep_17' },
  timezone: 'America/Chicago',
  nowMs: Date.now(),
};

function start(name: string, code: string, environment: Record<string, string>) {
  const file = path.join(folder, `${name}.mts`);
  fs.writeFileSync(file, code);
  const child = spawn(process.execPath, [file], { env: { PATH: process.env.PATH ?? '', ...environment } });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ended, printed: collectText(child.stdout, child.stderr) };
}

async function run(name: keyof typeof TYPESCRIPT, of = sample): Promise<string> {
  const { ended, printed } = start(name, TYPESCRIPT[name](of), { FOREWORD_API_KEY: team.organization.key });
  expect([await ended, printed()]).toEqual([0, expect.anything()]);
  return printed();
}

test('the TypeScript snippets send an event, detect a duplicate, find the intro and record it', async () => {
  expect(await run('send')).toMatch(/^202 .*accepted/s);
  expect(await run('send')).toMatch(/^202 .*duplicate/s);
  await expect.poll(() => run('watch')).toMatch(/^requested null/);
  expect(await run('record')).toMatch(/^202 requested/);
});

test('the snippet’s idempotency key differs by member and touchpoint', async () => {
  const touchpoint = { slug: 'project_kickoff', context: 'status' } as const;
  expect(await run('send', { ...sample, touchpoint })).toMatch(/^202 .*accepted/s);
  const member = { ...sample.member, external_id: null };
  expect(await run('send', { ...sample, member })).toMatch(/^202 .*accepted/s);
});

test('the receiver snippet accepts signed webhooks and rejects others', async () => {
  const port = 20_000 + (process.pid % 20_000);
  const url = `http://127.0.0.1:${port}/`;
  const { body: endpoint } = await team.owner.call('POST /v1/webhook_endpoints', { body: { url } });
  const receiver = start('receive', RECEIVER, { PORT: String(port), FOREWORD_WEBHOOK_SECRET: endpoint.secret });
  const answersAt = () =>
    fetch(url, { method: 'POST', body: '{}' }).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(answersAt).toBe(401);
  await team.owner.call('POST /v1/webhook_endpoints/{id}/test', { params: { id: endpoint.id }, body: {} });
  await expect.poll(receiver.printed).toContain('webhook.test');
  // The attempt is stored after the receiver has printed and responded.
  const lastAttempt = async () =>
    (await team.owner.call('GET /v1/webhook_endpoints/{id}/attempts', { params: { id: endpoint.id } })).body.data[0];
  await expect.poll(lastAttempt).toMatchObject({ succeeded: true, status: 204 });
  receiver.child.kill();
  await receiver.ended;
});

test('the last use of a key appears, and is updated once a minute', async () => {
  const { body } = await team.owner.call('POST /keys', { body: { name: 'Used' } });
  const api = createApi(team.service.url, body.secret);
  const usedAt = async () => {
    const { keys } = (await team.owner.call('GET /keys')).body;
    return keys.find(({ id }) => id === body.key.id)?.last_used_at ?? null;
  };
  await api.get('/v1/touchpoints');
  await expect.poll(usedAt).not.toBeNull();
  const first = await usedAt();
  await api.get('/v1/touchpoints');
  await sleep(3_000);
  expect(await usedAt()).toBe(first);
});
