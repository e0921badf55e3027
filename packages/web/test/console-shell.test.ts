import { expect, test } from 'vitest';
import { renderConsole } from '../../server/src/console/first-responses.ts';
import { exampleSession } from './console/fake-console.ts';

const FILES = {
  script: '/assets/a.js',
  style: '/assets/a.css',
  preload: ['/assets/b.js'],
  font: '/assets/a.woff2',
  nonce: 'abc',
};
const EVIL = `</script><script>alert(1)</script>"'<img src=x onerror=alert(1)>`;

test('the console page escapes names, and embeds the session unchanged', () => {
  const session = exampleSession();
  const evil = { ...session, organization: { ...session.organization, name: EVIL } };
  const html = renderConsole({ content: { session: evil }, ...FILES });
  expect(html.match(/<script/g)).toHaveLength(2);
  expect(html).not.toContain('<img src=x');
  const json = /<script type="application\/json" id="session">(.*?)<\/script>/s.exec(html)?.[1] ?? '';
  expect(JSON.parse(json)).toEqual(evil);
});

test('the console page loads nothing from other hosts and has no inline script', () => {
  const html = renderConsole({ content: { session: exampleSession() }, ...FILES });
  expect([...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)).toEqual([
    '/console/manifest.webmanifest',
    'data:,',
    '/assets/a.woff2',
    '/assets/a.css',
    '/assets/a.js',
    '/assets/b.js',
  ]);
  expect(html).not.toMatch(/ (on\w+|style)=/);
});
