import { expect, test } from 'vitest';
import { createIntro } from './support/actions.ts';
import { openPhone } from './support/recorder.ts';
import { openService } from './support/service.ts';

test('the rate limit for unknown links rejects further ones for a while, but still opens valid ones', async () => {
  // Needs its own service, because it exhausts the rate limit of this address.
  const alone = await openService({ FOREWORD_ROLE: 'all' });
  const { id } = await createIntro(alone.api);
  const phone = await openPhone(alone, id);
  expect((await phone.page()).status).toBe(200);
  const statuses: number[] = [];
  for (let i = 0; i < 80; i++)
    statuses.push((await fetch(`${alone.service.url}/r/${String(i).padStart(22, 'x')}`)).status);
  expect(statuses[0]).toBe(404);
  expect(statuses.at(-1)).toBe(429);
  expect((await phone.page()).status).toBe(200);
  await alone.close();
});
