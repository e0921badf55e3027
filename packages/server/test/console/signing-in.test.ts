import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readNext } from '../../src/console/sessions/rules.ts';
import {
  createTestDatabase,
  createTestOrganization,
  foreword,
  forewordProgram,
  type Service,
  sleep,
  startService,
  type TestDatabase,
  type TestOrganization,
} from '../harness/index.ts';
import { type BrowserClient, createBrowserClient } from './browser-client.ts';
import { clientWith } from './console-client.ts';
import { type Inbox, openInbox } from './inbox.ts';

const SESSION = 'foreword_session';
const ANA = 'ana@acme.example';
/** Longer than a letter takes to leave. */
const EMAIL_MS = 400;

let database: TestDatabase;
let inbox: Inbox;
let service: Service;
let acme: TestOrganization;

const environment = () => ({ DATABASE_URL: database.url });
const settings = () => ({ ...environment(), FOREWORD_DEMO: 'off', RATE_LIMIT: 'off' });

beforeAll(async () => {
  database = await createTestDatabase();
  inbox = await openInbox();
  service = await startService({ ...settings(), ...inbox.environment });
  acme = await createTestOrganization(environment(), service.url);
  const other = ['--first-name', 'Gone', '--last-name', 'Away', '--email', 'gone@acme.example'];
  const { id } = await foreword(environment(), 'member', 'create', '--org', acme.id, ...other);
  await foreword(environment(), 'member', 'deactivate', id);
});
afterAll(async () => {
  await service.stop();
  await inbox.close();
  await database.drop();
});
// A member gets few letters in the life of one; each test begins with none.
beforeEach(() => database.query('delete from signin_links'));

const ask = (browser: BrowserClient, email = ANA, next = '/console') =>
  browser.post('/console/signin', { email, next });

async function requestLink(browser: BrowserClient, next?: string): Promise<string> {
  const before = inbox.emails.length;
  expect((await ask(browser, ANA, next)).status).toBe(200);
  return (await inbox.newest(before + 1)).path;
}

async function signedIn(next?: string): Promise<{ browser: BrowserClient; location: string | null }> {
  const browser = createBrowserClient(service.url);
  const response = await browser.get(await requestLink(browser, next));
  expect(response.status).toBe(303);
  return { browser, location: response.headers.get('location') };
}

const session = (browser: BrowserClient) => browser.get('/console/api/session');
const asClient = (browser: BrowserClient) => clientWith(service.url, `${SESSION}=${browser.cookies.get(SESSION)}`);
const countSessions = async () =>
  (await database.query('select id from console_sessions where ended_at is null')).length;

describe('a letter', () => {
  test('signs in, once, in the browser that asked for it, and leads to where one wanted to go', async () => {
    const browser = createBrowserClient(service.url);
    const wanted = '/console/intros?status=%5B%22ready%22%5D';
    const path = await requestLink(browser, wanted);
    const opened = await browser.get(path);
    expect([opened.status, opened.headers.get('location')]).toEqual([303, wanted]);
    expect(await (await session(browser)).json()).toMatchObject({ member: { email: ANA } });
    expect((await browser.get(path)).status).toBe(410);
    expect((await browser.post(path)).status).toBe(410);
  });

  test('is of no use after 15 minutes', async () => {
    const browser = createBrowserClient(service.url);
    const path = await requestLink(browser);
    const [life] = await database.query<{ minutes: number }>(
      `select extract(epoch from expires_at - created_at)::int / 60 as minutes from signin_links`,
    );
    expect(life?.minutes).toBe(15);
    await database.query(`update signin_links set expires_at = now() - interval '1 second'`);
    expect((await browser.get(path)).status).toBe(410);
    expect(browser.cookies.has(SESSION)).toBe(false);
  });

  test('is of no use in another browser, and is not used up by being opened there', async () => {
    const browser = createBrowserClient(service.url);
    const path = await requestLink(browser);
    const thief = createBrowserClient(service.url);
    await ask(thief, 'thief@elsewhere.example');
    for (const stranger of [createBrowserClient(service.url), thief]) {
      expect((await stranger.get(path)).status).toBe(403);
      expect((await stranger.post(path)).status).toBe(403);
      expect(stranger.cookies.has(SESSION)).toBe(false);
    }
    expect((await browser.get(path)).status).toBe(303);
  });

  test('works beside another one that the same browser asked for', async () => {
    const browser = createBrowserClient(service.url);
    const first = await requestLink(browser);
    const second = await requestLink(browser);
    expect((await browser.get(first)).status).toBe(303);
    expect((await browser.get(second)).status).toBe(303);
  });

  test('goes to members alone, and the answer does not tell whether it went', async () => {
    const before = inbox.emails.length;
    const answers = [];
    for (const email of [ANA, 'nobody@acme.example', 'gone@acme.example']) {
      const response = await ask(createBrowserClient(service.url), email);
      const headers = [...response.headers.keys()].sort();
      const cookie = response.headers.getSetCookie().map((line) => line.replace(/=[^;]*/, ''));
      answers.push([response.status, headers, cookie, (await response.text()).replaceAll(email, 'somebody')]);
    }
    expect(answers[0]?.[0]).toBe(200);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    await inbox.newest(before + 1);
    await sleep(EMAIL_MS);
    expect(inbox.emails.slice(before).map(({ to }) => to)).toEqual([ANA]);
  });

  /** Strangers, each with a browser of their own, of whom `perPlace` sit at each place. */
  async function askFrom(places: number, perPlace: number): Promise<void> {
    for (let place = 0; place < places; place++) {
      for (let n = 0; n < perPlace; n++) {
        expect((await ask(createBrowserClient(service.url, `198.51.100.${100 + place}`))).status).toBe(200);
      }
    }
  }

  test('comes five times at most in 15 minutes to whoever asks from one place, and once more to another', async () => {
    const before = inbox.emails.length;
    await askFrom(1, 7);
    await inbox.newest(before + 5);
    await sleep(EMAIL_MS);
    expect(inbox.emails).toHaveLength(before + 5);
    const owner = createBrowserClient(service.url);
    expect((await owner.get(await requestLink(owner))).status).toBe(303);
  });

  test('comes twenty times at most in 15 minutes, wherever it was asked for', async () => {
    const before = inbox.emails.length;
    await askFrom(5, 5);
    await inbox.newest(before + 20);
    await sleep(EMAIL_MS);
    expect(inbox.emails).toHaveLength(before + 20);
  });

  test('is not asked for with something that is no address', async () => {
    for (const email of ['', 'ana', 'ana@', 'ana @acme.example', `${'a'.repeat(260)}@acme.example`]) {
      const response = await ask(createBrowserClient(service.url), email);
      expect([email, response.status]).toEqual([email, 422]);
    }
    expect(await database.query('select id from signin_links')).toEqual([]);
  });
});

test('a link of the operator’s is not used up by being looked at, and signs in by its button', async () => {
  const { url } = await forewordProgram(environment(), 'signin', '--org', acme.id, '--email', ANA);
  const { pathname } = new URL(url);
  const robot = createBrowserClient(service.url);
  const look = await robot.get(pathname);
  expect(look.status).toBe(200);
  expect(await look.text()).toContain('You’ll be signed in as Ana Ng');
  expect(robot.cookies.size).toBe(0);
  const browser = createBrowserClient(service.url);
  expect((await browser.post(pathname)).status).toBe(303);
  expect((await session(browser)).status).toBe(200);
});

test('thirty attempts from one address are enough, and are no matter to another', async () => {
  const address = '198.51.100.7';
  const statuses = [];
  for (let n = 0; n < 32; n++)
    statuses.push((await ask(createBrowserClient(service.url, address), 'x@y.example')).status);
  expect(statuses.slice(0, 29)).toEqual(Array.from({ length: 29 }, () => 200));
  expect(statuses.at(-1)).toBe(429);
  expect((await createBrowserClient(service.url, address).get('/console/signin/guess')).status).toBe(429);
  expect((await ask(createBrowserClient(service.url, '198.51.100.8'), 'x@y.example')).status).toBe(200);
});

test('what comes after signing in is a page of the console and nothing else', async () => {
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
  expect((await signedIn('https://evil.example/')).location).toBe(start);
  const page = await (await createBrowserClient(service.url).get('/console/signin?next=https://evil.example/')).text();
  expect(page).not.toContain('evil.example');
});

test('nothing is done for a form or a script of another site, or for one that does not say where it is', async () => {
  const { browser } = await signedIn();
  const link = await foreword(environment(), 'signin', '--org', acme.id, '--email', ANA);
  const sessions = await countSessions();
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: service.url.replace('127.0.0.1', 'localhost'), 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': '' },
    { origin: 'null', 'sec-fetch-site': '' },
  ];
  const own = { 'content-type': 'application/json', cookie: `${SESSION}=${browser.cookies.get(SESSION)}` };
  for (const from of foreign) {
    const headers = Object.fromEntries(Object.entries(from).filter(([, value]) => value !== ''));
    const post = (path: string, more: Record<string, string> = {}) =>
      fetch(service.url + path, { method: 'POST', redirect: 'manual', headers: { ...headers, ...more } });
    const statuses = await Promise.all([
      post('/console/signin'),
      post(new URL(link.url).pathname),
      post('/console/api/session/sign-out', own),
      post('/console/api/sessions/revoke-others', own),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  }
  expect(await countSessions()).toBe(sessions);
  // A browser that does not tell of sites tells of the origin.
  const plain = createBrowserClient(service.url);
  const headers = { origin: service.url, 'content-type': 'application/x-www-form-urlencoded' };
  const response = await fetch(`${service.url}/console/signin`, { method: 'POST', headers, body: 'email=x@y.example' });
  expect(response.status).toBe(200);
  expect((await session(plain)).status).toBe(401);
});

describe('the cookie', () => {
  test('is out of reach of scripts and of other sites, and opens nothing when it is read in the database', async () => {
    const browser = createBrowserClient(service.url);
    const opened = await browser.get(await requestLink(browser));
    const [line = ''] = opened.headers.getSetCookie();
    expect(line).toMatch(/^foreword_session=[0-9A-Za-z]{32}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    const secret = browser.cookies.get(SESSION) ?? '';
    const rows = JSON.stringify(
      await database.query('select s.*, encode(s.hash, $1) as hash from console_sessions s', ['escape']),
    );
    expect(rows).not.toContain(secret);
    expect(service.output()).not.toContain(secret);
  });

  test('belongs to the host alone, and to https, where the service is reached by https', async () => {
    const secure = await startService({ ...settings(), PUBLIC_URL: 'https://intros.acme.example' });
    try {
      const { url } = await foreword(environment(), 'signin', '--org', acme.id, '--email', ANA);
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
    } finally {
      await secure.stop();
    }
  });

  test('changes after hours; requests under way with the old one are served for a minute, and none after it', async () => {
    const { browser } = await signedIn();
    const old = browser.cookies.get(SESSION) ?? '';
    await database.query(`update console_sessions set rotated_at = now() - interval '7 hours'`);
    const pages = await Promise.all(Array.from({ length: 4 }, () => browser.get('/console/home')));
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(pages.flatMap(({ headers }) => headers.getSetCookie())).toHaveLength(1);
    const fresh = browser.cookies.get(SESSION) ?? '';
    expect(fresh).not.toBe(old);
    const status = async (value: string) =>
      (await clientWith(service.url, `${SESSION}=${value}`).call('GET /session')).status;
    expect([await status(old), await status(fresh)]).toEqual([200, 200]);
    const [{ seconds } = { seconds: 0 }] = await database.query<{ seconds: number }>(
      `select extract(epoch from previous_until - rotated_at)::int as seconds from console_sessions where previous_hash is not null`,
    );
    expect(seconds).toBe(60);
    await database.query(
      `update console_sessions set previous_until = now() - interval '1 second' where previous_hash is not null`,
    );
    expect([await status(old), await status(fresh)]).toEqual([401, 200]);
  });

  test('opens nothing after a month without a visit, nor after half a year at all', async () => {
    const { browser } = await signedIn();
    const id = (await asClient(browser).call('GET /sessions')).body.sessions.find((one) => one.is_this)?.id;
    for (const [column, age] of [
      ['seen_at', '31 days'],
      ['created_at', '181 days'],
    ]) {
      const [before] = await database.query(`select ${column} as at from console_sessions where id = $1`, [id]);
      await database.query(`update console_sessions set ${column} = now() - interval '${age}' where id = $1`, [id]);
      expect((await session(browser)).status).toBe(401);
      await database.query(`update console_sessions set ${column} = $2 where id = $1`, [id, before?.at]);
      expect((await session(browser)).status).toBe(200);
    }
  });

  test('leads from any page to the sign-in and back, and is dropped where it opens nothing any more', async () => {
    const stranger = createBrowserClient(service.url);
    const sent = await stranger.get('/console/intros?q=a');
    expect([sent.status, sent.headers.get('location')]).toEqual([
      303,
      '/console/signin?next=%2Fconsole%2Fintros%3Fq%3Da',
    ]);
    stranger.cookies.set(SESSION, 'x'.repeat(32));
    await stranger.get('/console/signin');
    expect(stranger.cookies.has(SESSION)).toBe(false);
  });
});

describe('places where one is signed in', () => {
  test('are listed for oneself alone, end by signing out, and one ends another', async () => {
    await database.query('update console_sessions set ended_at = now()');
    const [here, there] = [(await signedIn()).browser, (await signedIn()).browser];
    const { sessions } = (await asClient(here).call('GET /sessions')).body;
    expect(sessions).toHaveLength(2);
    const away = sessions.find(({ is_this }) => !is_this)?.id ?? '';
    const bo = ['--first-name', 'Bo', '--last-name', 'Li', '--email', 'bo@acme.example'];
    await foreword(environment(), 'member', 'create', '--org', acme.id, ...bo);
    const { url } = await foreword(environment(), 'signin', '--org', acme.id, '--email', 'bo@acme.example');
    const another = createBrowserClient(service.url);
    await another.post(new URL(url).pathname);
    expect((await asClient(another).call('GET /sessions')).body.sessions).toHaveLength(1);
    expect((await asClient(another).call('DELETE /sessions/:id', { params: { id: away } })).status).toBe(404);
    expect((await session(there)).status).toBe(200);
    expect((await asClient(here).call('DELETE /sessions/:id', { params: { id: away } })).status).toBe(200);
    expect([(await session(here)).status, (await session(there)).status]).toEqual([200, 401]);
    expect((await asClient(here).call('POST /session/sign-out')).status).toBe(200);
    expect([(await session(here)).status, (await session(another)).status]).toEqual([401, 200]);
  });

  test('count once for a browser, however often somebody signs in there', async () => {
    await database.query('update console_sessions set ended_at = now()');
    const { browser } = await signedIn();
    const before = browser.cookies.get(SESSION) ?? '';
    expect((await browser.get(await requestLink(browser))).status).toBe(303);
    expect((await asClient(browser).call('GET /sessions')).body.sessions).toHaveLength(1);
    expect((await clientWith(service.url, `${SESSION}=${before}`).call('GET /session')).status).toBe(401);
  });

  test('end at once for a member who is deactivated, whose open links are of no use either', async () => {
    const member = ['--first-name', 'Leaving', '--last-name', 'Soon', '--email', 'leaving@acme.example'];
    const { id } = await foreword(environment(), 'member', 'create', '--org', acme.id, ...member);
    const link = () => foreword(environment(), 'signin', '--org', acme.id, '--email', 'leaving@acme.example');
    const browser = createBrowserClient(service.url);
    const [first, second] = [await link(), await link()];
    await browser.post(new URL(first.url).pathname);
    expect((await session(browser)).status).toBe(200);
    await foreword(environment(), 'member', 'deactivate', id);
    expect((await session(browser)).status).toBe(401);
    expect((await browser.get('/console/home')).status).toBe(303);
    expect((await createBrowserClient(service.url).post(new URL(second.url).pathname)).status).toBe(410);
  });
});

test('writes no address, link or secret into the log', () => {
  const output = service.output();
  for (const { path } of inbox.emails) expect(output).not.toContain(path.split('/').at(-1));
  expect(output).not.toContain(ANA);
});
