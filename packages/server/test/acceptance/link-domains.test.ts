import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { expectError } from './support/actions.ts';
import { openService } from './support/service.ts';

const PATH = '/v1/link-domains';

const fixture = await forFile(openService());

test.each([
  ['https://go.acme.test', 'without scheme'],
  ['go.acme.test:8443', 'without scheme, port'],
  ['go.acme.test/x', 'without scheme, port and path'],
  ['192.0.2.7', 'not an IP address'],
  ['0x7f.1', 'not an IP address'],
  ['localhost', 'at least two parts'],
  ['a.localhost', 'a name of this machine'],
  ['go..acme.test', 'at least two parts'],
  ['*.acme.test', 'at least two parts'],
  ['a_b.acme.test', 'at least two parts'],
])('refuses the host %s', async (host, problem) => {
  const response = await fixture.api.post(PATH, { host });
  expectError(response, 422, 'validation_failed', 'host');
  expect(response.body.error.message).toContain(problem);
});

test('a host is added once, and at most 5 of them; a removed one can be added again', async () => {
  const { api } = await fixture.newOrganization();
  const { status, body } = await api.post(PATH, { host: 'Größe.Acme.TEST.' });
  expect(status).toBe(201);
  const proof = { value: expect.stringMatching(/^foreword-domain=[0-9A-Za-z]{24}$/) };
  expect(body).toMatchObject({
    id: expect.stringMatching(/^lkd_[0-9a-z]{26}$/),
    object: 'link_domain',
    host: 'xn--gre-6ka8i.acme.test',
    state: 'pending',
    points_to: '127.0.0.1',
    verification: {
      dns: { type: 'TXT', name: '_foreword.xn--gre-6ka8i.acme.test', ...proof },
      http: { url: 'http://xn--gre-6ka8i.acme.test/.well-known/foreword-domain', ...proof },
    },
  });
  expectError(await api.post(PATH, { host: 'größe.acme.test' }), 409, 'link_domain_exists');
  for (const name of ['two', 'three', 'four', 'five']) await api.post(PATH, { host: `${name}.acme.test` });
  expectError(await api.post(PATH, { host: 'six.acme.test' }), 409, 'link_domain_limit');
  expect((await api.get(PATH)).body.data).toHaveLength(5);
  const headers = { 'idempotency-key': 'remove:1' };
  expect((await api.raw('DELETE', `${PATH}/${body.id}`, { headers })).body).toEqual({
    id: body.id,
    object: 'link_domain',
    deleted: true,
  });
  expectError(await api.get(`${PATH}/${body.id}`), 404, 'not_found');
  expect((await api.post(PATH, { host: 'größe.acme.test' })).status).toBe(201);
});
