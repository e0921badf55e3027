import { expect, test } from 'vitest';
import { createApi, forFile, sleep } from '../harness/index.ts';
import { newRetryKey } from './console-client.ts';
import { openTeam } from './team-fixture.ts';

const team = await forFile(openTeam());

test('the last use of a key appears within seconds and is updated once a minute', async () => {
  const { body } = await team.owner.call('POST /keys', { body: { key: newRetryKey(), name: 'Used' } });
  const api = createApi(team.service.url, body.secret);
  const usedAt = async () => {
    const { keys } = (await team.owner.call('GET /keys')).body;
    return keys.find(({ id }) => id === body.key.id)?.last_used_at ?? null;
  };
  await api.get('/v1/touchpoints');
  await expect.poll(usedAt, { timeout: 10_000 }).not.toBeNull();
  const first = await usedAt();
  await api.get('/v1/touchpoints');
  await sleep(3_000);
  expect(await usedAt()).toBe(first);
});
