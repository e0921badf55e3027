import { expect, test } from 'vitest';
import { openService } from './support/service.ts';

test('private addresses of webhook endpoints are rejected in every notation, unless the operator allows them', async () => {
  const fixture = await openService({ WEBHOOKS_ALLOW_PRIVATE: 'off' });
  const create = async (url: string) => (await fixture.api.post('/v1/webhook_endpoints', { url })).body;
  const inside = [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.1',
    '10.1.2.3',
    '192.168.0.1',
    '169.254.169.254',
    '0.0.0.0',
  ];
  const more = ['[::1]', '[::ffff:10.0.0.1]', '[64:ff9b::a00:1]', '[fd00::1]', '[fe80::1]', 'localhost', 'a.localhost'];
  for (const host of [...inside, ...more]) {
    expect(await create(`http://${host}:8080/hook`)).toMatchObject({
      error: { code: 'validation_failed', field: 'url' },
    });
  }
  expect(await create('https://hooks.acme.example/in')).toMatchObject({ object: 'webhook_endpoint' });
  await fixture.close();
});
