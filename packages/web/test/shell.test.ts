import { expect, test } from 'vitest';
import { NO_PAGE, renderConsole } from '../../server/src/console/page.ts';
import { renderShell } from '../../server/src/recordings/shell.ts';
import { exampleSession } from './console/fake-console.ts';
import { exampleState } from './fake-server.ts';

const PARTS = {
  api: '/r/token',
  script: '/assets/a.js',
  style: '/assets/a.css',
  font: '/assets/a.woff2',
  colors: '',
  nonce: 'abc',
};
const EVIL = `</script><script>alert(1)</script>"'<img src=x onerror=alert(1)>`;

/** The page has the value unchanged in its JSON, and no other script or picture. */
function expectEmbedded(html: string, id: string, value: object): void {
  expect(html.match(/<script/g)).toHaveLength(2);
  expect(html).not.toContain('<img src=x');
  const [, json = ''] = new RegExp(`<script type="application/json" id="${id}">(.*?)</script>`, 's').exec(html) ?? [];
  expect(JSON.parse(json)).toEqual(value);
}

test('the recorder page shows the recipient and the script without JavaScript', () => {
  const html = renderShell(exampleState(), PARTS);
  expect(html).toContain('<h1>For Dana Reed</h1>');
  expect(html).toContain('this is Ana from Acme Exteriors');
});

test.each([
  ['en', 'Record a video · Acme Exteriors', 'en_US'],
  ['es', 'Grabar un video · Acme Exteriors', 'es_US'],
] as const)('the link preview of the recorder shows no face and no names (%s)', (language, title, locale) => {
  const state = exampleState();
  state.member.language = language;
  const html = renderShell(state, PARTS);
  const head = html.slice(0, html.indexOf('</head>'));
  expect(head).toContain(`<title>${title}</title>`);
  expect(head).toContain(`<meta property="og:title" content="${title}">`);
  expect(head).toContain(`<meta property="og:locale" content="${locale}">`);
  expect(head).not.toMatch(/Dana|Reed|Ana|og:image|og:url/);
});

test('the recorder page escapes names and scripts, and embeds the state unchanged', () => {
  const state = exampleState({
    script: EVIL,
    touchpoint: EVIL,
    recipient: { first_name: EVIL, last_name: EVIL, language: 'en' },
  });
  state.organization = { ...state.organization, name: EVIL, logo_url: `/logo"${EVIL}` };
  const html = renderShell(state, PARTS);
  expectEmbedded(html, 'state', state);
});

const ENTRY = { script: 'a.js', style: 'a.css', preload: ['b.js'], pages: {}, font: 'a.woff2' };

test('the console page escapes names, and embeds the session unchanged', () => {
  const session = exampleSession();
  const evil = { ...session, organization: { ...session.organization, name: EVIL } };
  const html = renderConsole(ENTRY, { session: evil }, NO_PAGE, 'abc');
  expectEmbedded(html, 'session', evil);
});

const OWN_FILES = ['data:,', '/assets/a.woff2', '/assets/a.css', '/assets/a.js'];

test.each([
  ['recorder', renderShell(exampleState(), PARTS), OWN_FILES],
  ['console', renderConsole(ENTRY, { session: exampleSession() }, NO_PAGE, 'abc'), [...OWN_FILES, '/assets/b.js']],
])('the %s page loads nothing from other hosts and has no inline script', (_page, html, files) => {
  expect([...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)).toEqual(files);
  expect(html).not.toMatch(/ (on\w+|style)=/);
});
