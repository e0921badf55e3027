import { describe, expect, test } from 'vitest';
import { type Api, createApi, forFile } from '../harness/index.ts';
import { eventually, expectError } from './support/actions.ts';
import { openService } from './support/service.ts';

const fixture = await forFile(openService());

const withKey = (key: string): Api => fixture.published.checked(createApi(fixture.service.url, key));
const newKey = () => fixture.run('key', 'create', '--org', fixture.organization.id, '--name', 'Another');

function everyOperation(): [method: string, path: string][] {
  return Object.entries(fixture.published.document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method): [string, string] => [method.toUpperCase(), path.replace('{id}', 'x')]),
  );
}

describe('a key', () => {
  test('is fw_test_ plus 30 letters and digits, and works as soon as the command that created it returns', async () => {
    const { key } = await newKey();
    expect(key).toMatch(/^fw_test_[0-9A-Za-z]{30}$/);
    expect((await withKey(key).get('/v1/touchpoints')).status).toBe(200);
  });

  test('that is missing or wrong is 401 on every operation, before anything else is checked', async () => {
    const operations = everyOperation();
    expect(operations.length).toBeGreaterThanOrEqual(9);
    const { key } = fixture.organization;
    const mistyped = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    const wrong = [
      ...['', 'Bearer', 'Bearer ', 'Bearer nothing', 'Bearer \u00ff', `Bearer ${'a'.repeat(8_000)}`],
      ...[key, `Basic ${key}`, `Bearer ${key} ${key}`, `Bearer ${key}x`, `Bearer ${key.slice(0, -1)}`],
      ...[mistyped, key.toUpperCase(), key.replace('fw_test_', 'FW_TEST_'), key.slice(8)].map((one) => `Bearer ${one}`),
      `Bearer ${key.replace('fw_test_', 'fw_live_')}`,
    ];
    for (const [at, [method, path]] of operations.entries()) {
      // Every form at the first operations, and some at the others.
      for (const authorization of at < 4 ? wrong : wrong.slice(0, 4)) {
        const headers = { authorization, 'content-type': 'text/plain' };
        const body = method === 'POST' ? { body: '{' } : {};
        expectError(await fixture.api.raw(method, `${path}?limit=0`, { headers, ...body }), 401, 'unauthorized');
      }
    }
    const bare = await fetch(`${fixture.service.url}/v1/intros`);
    expect([bare.status, await bare.json()]).toEqual([
      401,
      { error: { code: 'unauthorized', message: expect.any(String) } },
    ]);
  });

  test('that is wrong or revoked is 401 with the reason, and other keys keep working', async () => {
    const { key, id } = await newKey();
    const messageOf = async (wrong: string) => (await withKey(wrong).get('/v1/touchpoints')).body.error.message;
    const other = key.endsWith('0') ? '1' : '0';
    for (const [wrong, message] of [
      ['sk_test_4eC39HqLyjWDarjtT1zdp7dc', /not a Foreword key.*fw_test_/],
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', /not a Foreword key.*fw_test_/],
      [key.replace('fw_test_', 'fw_live_'), /live key.*test/],
      [key.slice(0, -1) + other, /typo or is incomplete/],
      [key.slice(0, -3), /typo or is incomplete/],
      ['fw_test_', /typo or is incomplete/],
    ] as const)
      expect([wrong, await messageOf(wrong)]).toEqual([wrong, expect.stringMatching(message)]);
    await fixture.run('key', 'revoke', id);
    await eventually(async () => /revoked or never existed/.test((await messageOf(key)) ?? ''));
    expect((await fixture.api.get('/v1/touchpoints')).status).toBe(200);
  });
});
