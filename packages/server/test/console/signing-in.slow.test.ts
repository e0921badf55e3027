import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readNext } from '../../src/console/sessions/rules.ts';
import { forFile, sleep } from '../harness/index.ts';
import { ANA, openSignIn, SESSION_COOKIE } from './sign-in-fixture.ts';

/** Longer than sending an email takes. */
const EMAIL_MS = 400;

const fixture = await forFile(openSignIn());
// Emails per member are limited, so each test starts without links.
beforeEach(() => fixture.database.query('delete from signin_links'));

describe('a sign-in email', () => {
  test('signs in once, in the browser that requested it, and opens the requested page', async () => {
    const browser = fixture.newBrowser();
    const wanted = '/console/intros?status=%5B%22ready%22%5D';
    const path = await fixture.requestLink(browser, wanted);
    const opened = await browser.get(path);
    expect([opened.status, opened.headers.get('location')]).toEqual([303, wanted]);
    expect(await (await fixture.session(browser)).json()).toMatchObject({ member: { email: ANA } });
    expect((await browser.get(path)).status).toBe(410);
    expect((await browser.post(path)).status).toBe(410);
  });

  test('expires after 15 minutes', async () => {
    const browser = fixture.newBrowser();
    const path = await fixture.requestLink(browser);
    const [life] = await fixture.database.query<{ minutes: number }>(
      `select extract(epoch from expires_at - created_at)::int / 60 as minutes from signin_links`,
    );
    expect(life?.minutes).toBe(15);
    await fixture.database.query(`update signin_links set expires_at = now() - interval '1 second'`);
    expect((await browser.get(path)).status).toBe(410);
    expect(browser.cookies.has(SESSION_COOKIE)).toBe(false);
  });

  test('does not work in another browser, and is not used up there', async () => {
    const browser = fixture.newBrowser();
    const path = await fixture.requestLink(browser);
    const thief = fixture.newBrowser();
    await fixture.submitEmail(thief, 'thief@elsewhere.example');
    for (const stranger of [fixture.newBrowser(), thief]) {
      expect((await stranger.get(path)).status).toBe(403);
      expect((await stranger.post(path)).status).toBe(403);
      expect(stranger.cookies.has(SESSION_COOKIE)).toBe(false);
    }
    expect((await browser.get(path)).status).toBe(303);
  });

  test('opened in several tabs at once creates one session', async () => {
    const browser = fixture.newBrowser();
    const path = await fixture.requestLink(browser);
    const sessions = await fixture.countSessions();
    const statuses = (await Promise.all([1, 2, 3, 4].map(() => browser.get(path)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([303, 410, 410, 410]);
    expect(await fixture.countSessions()).toBe(sessions + 1);
  });

  test('works alongside another one requested in the same browser', async () => {
    const browser = fixture.newBrowser();
    const first = await fixture.requestLink(browser);
    const second = await fixture.requestLink(browser);
    expect((await browser.get(first)).status).toBe(303);
    expect((await browser.get(second)).status).toBe(303);
  });

  test('is sent only to members, and the response does not reveal whether it was', async () => {
    const before = fixture.inbox.emails.length;
    const answers = [];
    for (const email of [ANA, 'unknown@acme.example', 'gone@acme.example']) {
      const response = await fixture.submitEmail(fixture.newBrowser(), email);
      const headers = [...response.headers.keys()].sort();
      const cookie = response.headers.getSetCookie().map((line) => line.replace(/=[^;]*/, ''));
      answers.push([response.status, headers, cookie, (await response.text()).replaceAll(email, 'EMAIL')]);
    }
    expect(answers[0]?.[0]).toBe(200);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    await fixture.inbox.newest(before + 1);
    await sleep(EMAIL_MS);
    expect(fixture.inbox.emails.slice(before).map(({ to }) => to)).toEqual([ANA]);
  });

  test('is not sent for an invalid address', async () => {
    for (const email of ['', 'ana', 'ana@', 'ana @acme.example', `${'a'.repeat(260)}@acme.example`]) {
      const response = await fixture.submitEmail(fixture.newBrowser(), email);
      expect([email, response.status]).toEqual([email, 422]);
    }
    expect(await fixture.database.query('select id from signin_links')).toEqual([]);
  });
});

test('an operator’s link is not used up by opening it, and signs in with its button', async () => {
  const { url } = await fixture.run('signin', '--org', fixture.organization.id, '--email', ANA);
  const { pathname } = new URL(url);
  const robot = fixture.newBrowser();
  const look = await robot.get(pathname);
  expect(look.status).toBe(200);
  expect(await look.text()).toContain('You’ll be signed in as Ana Ng');
  expect(robot.cookies.size).toBe(0);
  const browser = fixture.newBrowser();
  expect((await browser.post(pathname)).status).toBe(303);
  expect((await fixture.session(browser)).status).toBe(200);
});

test('attempts are limited to 30 per address, independently of other addresses', async () => {
  const address = '198.51.100.7';
  const statuses = [];
  for (let n = 0; n < 32; n++)
    statuses.push((await fixture.submitEmail(fixture.newBrowser(address), 'x@y.example')).status);
  expect(statuses.slice(0, 29)).toEqual(Array.from({ length: 29 }, () => 200));
  expect(statuses.at(-1)).toBe(429);
  expect((await fixture.newBrowser(address).get('/console/signin/guess')).status).toBe(429);
  expect((await fixture.submitEmail(fixture.newBrowser('198.51.100.8'), 'x@y.example')).status).toBe(200);
});

test('signing in redirects only to pages of the console', async () => {
  const start = '/console';
  for (const next of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/console/..//evil.example',
    '/console/../i/abc',
    '/console/%2e%2e/i/abc',
    '/console//evil.example',
    '/console\\..\\..\\evil',
    '/consoleevil.example',
    '/console@evil.example',
    '/console\r\nset-cookie: a=b',
    '/console/signin?out=1',
    '/console/signin/company',
    '/console/api/session',
    `/console/${'a'.repeat(600)}`,
    'javascript:alert(1)',
    '',
    null,
    ['/console/intros'],
  ]) {
    expect([next, readNext(next)]).toEqual([next, start]);
  }
  for (const next of [
    '/console',
    '/console/home',
    '/console/intros?from=2026-01-01T00%3A00&q=Jos%C3%A9+x',
    '/console/',
  ]) {
    expect(readNext(next)).toBe(next);
  }
  expect((await fixture.signedIn('https://evil.example/')).location).toBe(start);
  const page = await (await fixture.newBrowser().get('/console/signin?next=https://evil.example/')).text();
  expect(page).not.toContain('evil.example');
});

test('signing in rejects forms and scripts of other sites or without an origin', async () => {
  const { browser } = await fixture.signedIn();
  const link = await fixture.run('signin', '--org', fixture.organization.id, '--email', ANA);
  const sessions = await fixture.countSessions();
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: fixture.service.url.replace('127.0.0.1', 'localhost'), 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': '' },
    { origin: 'null', 'sec-fetch-site': '' },
  ];
  const own = {
    'content-type': 'application/json',
    cookie: `${SESSION_COOKIE}=${browser.cookies.get(SESSION_COOKIE)}`,
  };
  for (const from of foreign) {
    const headers = Object.fromEntries(Object.entries(from).filter(([, value]) => value !== ''));
    const post = (path: string, more: Record<string, string> = {}) =>
      fetch(fixture.service.url + path, { method: 'POST', redirect: 'manual', headers: { ...headers, ...more } });
    const statuses = await Promise.all([
      post('/console/signin'),
      post(new URL(link.url).pathname),
      post('/console/api/session/sign-out', own),
      post('/console/api/sessions/revoke-others', own),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  }
  expect(await fixture.countSessions()).toBe(sessions);
  // Browsers without Sec-Fetch-Site send the origin.
  const plain = fixture.newBrowser();
  const headers = { origin: fixture.service.url, 'content-type': 'application/x-www-form-urlencoded' };
  const response = await fetch(`${fixture.service.url}/console/signin`, {
    method: 'POST',
    headers,
    body: 'email=x@y.example',
  });
  expect(response.status).toBe(200);
  expect((await fixture.session(plain)).status).toBe(401);
});

describe('the cookie', () => {
  test('is hidden from scripts and other sites, and only its hash is stored', async () => {
    const browser = fixture.newBrowser();
    const opened = await browser.get(await fixture.requestLink(browser));
    const [line = ''] = opened.headers.getSetCookie();
    expect(line).toMatch(/^foreword_session=[0-9A-Za-z]{32}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    const secret = browser.cookies.get(SESSION_COOKIE) ?? '';
    const rows = JSON.stringify(
      await fixture.database.sql`select s.*, encode(s.hash, ${'escape'}) as hash from console_sessions s`,
    );
    expect(rows).not.toContain(secret);
    expect(fixture.service.output()).not.toContain(secret);
  });

  test('is bound to the host and to https when the service uses https', async () => {
    const secure = await fixture.newNode({ PUBLIC_URL: 'https://intros.acme.example' });
    onTestFinished(async () => void (await secure.stop()));
    const { url } = await fixture.run('signin', '--org', fixture.organization.id, '--email', ANA);
    const headers = { origin: 'https://intros.acme.example', 'sec-fetch-site': 'same-origin' };
    const path = secure.url + new URL(url).pathname;
    const opened = await fetch(path, { method: 'POST', redirect: 'manual', headers });
    expect(opened.headers.getSetCookie()[0]).toMatch(
      /^__Host-foreword_session=\w{32}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
    );
    const cookie = opened.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const ask = (cookie: string) => fetch(`${secure.url}/console/api/session`, { headers: { cookie } });
    expect((await ask(cookie)).status).toBe(200);
    expect((await ask(cookie.replace('__Host-', ''))).status).toBe(401);
  });

  test('rotates after hours; the old one works until its time is over', async () => {
    const { browser } = await fixture.signedIn();
    const old = browser.cookies.get(SESSION_COOKIE) ?? '';
    await fixture.database.query(`update console_sessions set rotated_at = now() - interval '7 hours'`);
    const pages = await Promise.all(Array.from({ length: 4 }, () => browser.get('/console/home')));
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(pages.flatMap(({ headers }) => headers.getSetCookie())).toHaveLength(1);
    const fresh = browser.cookies.get(SESSION_COOKIE) ?? '';
    expect(fresh).not.toBe(old);
    const status = async (value: string) => (await fixture.clientOf(value).call('GET /session')).status;
    expect([await status(old), await status(fresh)]).toEqual([200, 200]);
    await fixture.database.query(
      `update console_sessions set previous_until = now() - interval '1 second' where previous_hash is not null`,
    );
    expect([await status(old), await status(fresh)]).toEqual([401, 200]);
  });

  test('expires after a month without a visit, and after half a year in any case', async () => {
    const { browser } = await fixture.signedIn();
    const id = (await fixture.asClient(browser).call('GET /sessions')).body.sessions.find((one) => one.is_this)?.id;
    for (const [column, age] of [
      ['seen_at', '31 days'],
      ['created_at', '181 days'],
    ]) {
      const [before] = await fixture.database.query(`select ${column} as at from console_sessions where id = $1`, [id]);
      await fixture.database.query(`update console_sessions set ${column} = now() - interval '${age}' where id = $1`, [
        id,
      ]);
      expect((await fixture.session(browser)).status).toBe(401);
      await fixture.database.query(`update console_sessions set ${column} = $2 where id = $1`, [id, before?.at]);
      expect((await fixture.session(browser)).status).toBe(200);
    }
  });

  test('is cleared when it is no longer valid, and pages redirect to the sign-in and back', async () => {
    const stranger = fixture.newBrowser();
    const sent = await stranger.get('/console/intros?q=a');
    expect([sent.status, sent.headers.get('location')]).toEqual([
      303,
      '/console/signin?next=%2Fconsole%2Fintros%3Fq%3Da',
    ]);
    stranger.cookies.set(SESSION_COOKIE, 'x'.repeat(32));
    await stranger.get('/console/signin');
    expect(stranger.cookies.has(SESSION_COOKIE)).toBe(false);
  });
});

describe('sessions', () => {
  test('are listed per member, and end by signing out here or elsewhere', async () => {
    await fixture.database.query('update console_sessions set ended_at = now()');
    const [here, there] = [(await fixture.signedIn()).browser, (await fixture.signedIn()).browser];
    const { sessions } = (await fixture.asClient(here).call('GET /sessions')).body;
    expect(sessions).toHaveLength(2);
    const away = sessions.find(({ is_this }) => !is_this)?.id ?? '';
    const bo = ['--first-name', 'Bo', '--last-name', 'Li', '--email', 'bo@acme.example'];
    await fixture.run('member', 'create', '--org', fixture.organization.id, ...bo);
    const { url } = await fixture.run('signin', '--org', fixture.organization.id, '--email', 'bo@acme.example');
    const another = fixture.newBrowser();
    await another.post(new URL(url).pathname);
    expect((await fixture.asClient(another).call('GET /sessions')).body.sessions).toHaveLength(1);
    expect((await fixture.asClient(another).call('DELETE /sessions/{id}', { params: { id: away } })).status).toBe(404);
    expect((await fixture.session(there)).status).toBe(200);
    expect((await fixture.asClient(here).call('DELETE /sessions/{id}', { params: { id: away } })).status).toBe(200);
    expect([(await fixture.session(here)).status, (await fixture.session(there)).status]).toEqual([200, 401]);
    expect((await fixture.asClient(here).call('POST /session/sign-out')).status).toBe(200);
    expect([(await fixture.session(here)).status, (await fixture.session(another)).status]).toEqual([401, 200]);
  });

  test('exist once per browser, even after signing in again', async () => {
    await fixture.database.query('update console_sessions set ended_at = now()');
    const { browser } = await fixture.signedIn();
    const before = browser.cookies.get(SESSION_COOKIE) ?? '';
    expect((await browser.get(await fixture.requestLink(browser))).status).toBe(303);
    expect((await fixture.asClient(browser).call('GET /sessions')).body.sessions).toHaveLength(1);
    expect((await fixture.clientOf(before).call('GET /session')).status).toBe(401);
  });
});

test('signing in logs no email, link or secret', () => {
  const output = fixture.service.output();
  for (const { path } of fixture.inbox.emails) expect(output).not.toContain(path.split('/').at(-1));
  expect(output).not.toContain(ANA);
});
