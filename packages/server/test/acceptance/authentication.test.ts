import { describe, expect, test } from 'vitest';
import { type Api, createApi, forFile } from '../harness/index.ts';
import { anEvent, createIntro, eventually, expectError } from './support/actions.ts';
import { openService } from './support/service.ts';

const fixture = await forFile(openService());

const withKey = (key: string): Api => fixture.published.checked(createApi(fixture.service.url, key));
const newKey = () => fixture.run('key', 'create', '--org', fixture.organization.id, '--name', 'Another');

/** The same key with one letter changed. */
const misspelt = (key: string, at: number) => {
  const letter = key.at(at) === 'a' ? 'b' : 'a';
  return key.slice(0, at) + letter + key.slice(at + 1);
};

function everyOperation(): [method: string, path: string][] {
  return Object.entries(fixture.published.document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method): [string, string] => [method.toUpperCase(), path.replace('{id}', 'x')]),
  );
}

describe('a key', () => {
  test('is fw_test_ plus 30 letters and digits, and works as soon as the command that created it returns', async () => {
    const command = ['key', 'create', '--org', fixture.organization.id, '--name', 'Another'];
    const { key } = await fixture.run(...command);
    expect(key).toMatch(/^fw_test_[0-9A-Za-z]{30}$/);
    expect((await withKey(key).get('/v1/touchpoints')).status).toBe(200);
  });

  test('that is missing is 401 on every operation', async () => {
    const operations = everyOperation();
    expect(operations.length).toBeGreaterThanOrEqual(9);
    const anonymous = withKey('');
    for (const [method, path] of operations) {
      for (const authorization of ['', 'Bearer', 'Bearer ']) {
        expectError(await anonymous.raw(method, path, { headers: { authorization } }), 401, 'unauthorized');
      }
    }
    const bare = await fetch(`${fixture.service.url}/v1/intros`);
    expect(bare.status).toBe(401);
    expect(await bare.json()).toEqual({ error: { code: 'unauthorized', message: expect.any(String) } });
  });

  test('that is malformed is 401', async () => {
    const { key } = fixture.organization;
    const malformed = [
      key,
      `Basic ${key}`,
      `Bearer ${key} ${key}`,
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key}x`,
      `Bearer ${key.toUpperCase()}`,
      `Bearer ${misspelt(key, 12)}`,
      `Bearer ${misspelt(key, 36)}`,
      'Bearer ../../etc',
    ];
    for (const authorization of malformed) {
      const reply = await fixture.api.raw('GET', '/v1/touchpoints', { headers: { authorization } });
      expectError(reply, 401, 'unauthorized');
    }
  });

  test('of the live environment is 401, because only the test environment exists', async () => {
    const live = fixture.organization.key.replace('fw_test_', 'fw_live_');
    expectError(await withKey(live).get('/v1/touchpoints'), 401, 'unauthorized');
  });

  test('that is revoked is 401 within a second, and other keys of the organization keep working', async () => {
    const { key, id } = await newKey();
    const api = withKey(key);
    const { id: introId } = await createIntro(api);
    await fixture.run('key', 'revoke', id);
    const reply = await eventually(
      () => api.get('/v1/touchpoints'),
      ({ status }) => status === 401,
      1_000,
    );
    expectError(reply, 401, 'unauthorized');
    expectError(await api.post('/v1/touchpoint-events', anEvent()), 401, 'unauthorized');
    expect((await fixture.api.get(`/v1/intros/${introId}`)).status).toBe(200);
  });

  test('determines the environment of everything created with it', async () => {
    const intro = await createIntro(fixture.api);
    const event = (await fixture.api.post('/v1/touchpoint-events', anEvent())).body;
    const members = (await fixture.api.get('/v1/members')).body.data;
    for (const { environment } of [intro, event, ...members]) expect(environment).toBe('test');
  });
});

describe('without a valid key, nothing else is checked', () => {
  test('401 comes before media type, body, Idempotency-Key, query and id', async () => {
    const headers = { authorization: 'Bearer nothing', 'content-type': 'text/plain' };
    for (const [method, path] of everyOperation()) {
      const isPost = method === 'POST';
      const reply = await fixture.api.raw(method, `${path}?limit=0`, { headers, ...(isPost && { body: '{' }) });
      expectError(reply, 401, 'unauthorized');
    }
  });
});
