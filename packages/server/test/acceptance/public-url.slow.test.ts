import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { createIntro } from './support/actions.ts';
import { openService } from './support/service.ts';

const PUBLIC_URL = 'https://intros.acme.example/base';

const fixture = await forFile(openService({ PUBLIC_URL: `${PUBLIC_URL}/` }));

test('the published document names the public address, without its trailing slash', () => {
  expect(fixture.published.document.servers.map(({ url }) => url)).toEqual([PUBLIC_URL]);
});

test('the explanation of an error is under the public address', async () => {
  const { headers } = await fixture.api.post('/v1/intros', {});
  expect(headers.get('link')).toBe(`<${PUBLIC_URL}/docs/errors#validation_failed>; rel="help"`);
});

test('the link for recording an intro is under the public address', async () => {
  const { id } = await createIntro(fixture.api);
  const { url } = await fixture.run('intro', 'link', id);
  expect(url).toMatch(new RegExp(`^${PUBLIC_URL}/r/`));
});
