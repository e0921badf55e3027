import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readPages } from '../../src/http/mcp/resources.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const PUBLIC_URL = 'https://intros.example.com';

test('pages come from the built docs site, with the address of the service in their links', () => {
  const folder = temporaryFolder();
  fs.mkdirSync(path.join(folder, 'guides'));
  fs.writeFileSync(
    path.join(folder, 'guides/first.md'),
    '# First steps\n\n[Next](https://foreword.invalid/docs/next.md)\n',
  );
  fs.writeFileSync(path.join(folder, 'guides/first.html'), '<h1>First steps</h1>');
  fs.writeFileSync(path.join(folder, 'errors.md'), '# Every error\n');
  const pages = readPages(folder, PUBLIC_URL);
  expect([...pages.keys()]).toEqual(['errors', 'guides/first']);
  expect(pages.get('errors')?.title).toBe('Every error');
  expect(pages.get('guides/first')?.text).toContain('(https://intros.example.com/docs/next.md)');
});

test('without a built site, pages come from the Markdown of the clone, and the errors from the contract', () => {
  const pages = readPages(null, PUBLIC_URL);
  expect([...pages.keys()]).toEqual(
    expect.arrayContaining([
      'changelog',
      'errors',
      'guides/agents',
      'guides/quickstart',
      'security',
      'self-hosting/reference',
    ]),
  );
  expect(pages.get('guides/agents')?.title).toBe('Agents');
  for (const code of ['idempotency_conflict', 'template_invalid', 'no_text_provider', 'quiet_hours', 'not_a_video'])
    expect(pages.get('errors')?.text).toContain(`\`${code}\``);
  // Decisions and the map are for contributors.
  expect([...pages.keys()].filter((name) => /decisions|map|glossary/.test(name))).toEqual([]);
});
