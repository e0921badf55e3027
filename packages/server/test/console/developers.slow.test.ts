import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { CURL, type Sample } from '../../../web/console/pages/developers/snippets.ts';
import { createApi, forFile, sleep } from '../harness/index.ts';
import { openTeam } from './team-fixture.ts';

const run = promisify(execFile);
const team = await forFile(openTeam());
const sample: Sample = {
  url: team.service.url,
  touchpoint: { slug: 'new_appointment', context: 'appointment' },
  member: { id: team.organization.memberId, external_id: 'rep_17' },
  timezone: 'America/Chicago',
  nowMs: Date.now(),
};

async function send(of: Sample): Promise<string> {
  const environment = { PATH: process.env.PATH ?? '', FOREWORD_API_KEY: team.organization.key };
  return JSON.parse((await run('bash', ['-c', CURL.send(of)], { env: environment })).stdout).status;
}

test('the idempotency key of the printed command differs by member and touchpoint', async () => {
  expect(await send(sample)).toBe('accepted');
  expect(await send(sample)).toBe('duplicate');
  const touchpoint = { slug: 'project_kickoff', context: 'status' } as const;
  expect(await send({ ...sample, touchpoint })).toBe('accepted');
  const member = { ...sample.member, external_id: null };
  expect(await send({ ...sample, member })).toBe('accepted');
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
