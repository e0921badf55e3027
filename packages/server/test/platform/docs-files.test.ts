import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { registerDocsFiles } from '../../src/http/docs/site.ts';

test('a clone without the built docs site lists its guides, and each of them answers', async () => {
  const app = Fastify();
  expect(registerDocsFiles(app)).toBe(true);
  const page = (await app.inject('/docs')).body;
  const links = [...page.matchAll(/href="(docs\/[^"]+\.md)"/g)].map(([, address]) => `/${address}`);
  expect(links).toContain('/docs/guides/quickstart.md');
  expect(links.length).toBeGreaterThan(30);
  for (const link of links) {
    const { statusCode, body } = await app.inject(link);
    expect({ link, statusCode, start: body.slice(0, 2) }).toEqual({ link, statusCode: 200, start: '# ' });
  }
  expect(page).not.toMatch(/cells|cluster|decisions|docs\/map/);
  await app.close();
});
