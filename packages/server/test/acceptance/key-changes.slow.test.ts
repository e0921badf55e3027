import { expect, test } from 'vitest';
import { createApi, forFile } from '../harness/index.ts';
import { anIntro, eventually } from './support/actions.ts';
import { openService } from './support/service.ts';

const fixture = await forFile(openService());

test('a changed scope applies on every node within a second', async () => {
  const { id, key } = await fixture.run('key', 'create', '--org', fixture.organization.id, '--name', 'Scoped');
  const node = await fixture.newNode({ FOREWORD_ROLE: 'api' });
  const nodes = [fixture.service, node].map(({ url }) => fixture.published.checked(createApi(url, key)));
  const statuses = () => Promise.all(nodes.map(async (api) => (await api.post('/v1/intros', anIntro())).status));
  expect(await statuses()).toEqual([201, 201]);
  for (const [scope, status] of [
    ['read', 403],
    ['full', 201],
  ] as const) {
    await fixture.run('key', 'set', id, '--scope', scope);
    await eventually(statuses, (found) => found.every((one) => one === status), 1_000);
  }
});
