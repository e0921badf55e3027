import { beforeEach, describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { ANA, openSignIn, SESSION_COOKIE } from './sign-in-fixture.ts';

const fixture = await forFile(openSignIn());
// Emails per member are limited, so each test starts without links.
beforeEach(() => fixture.database.query('delete from signin_links'));

describe('the cookie', () => {
  test('is hidden from scripts and other sites, and only its hash is stored', async () => {
    const browser = fixture.newBrowser();
    const opened = await browser.get(await fixture.requestLink(browser));
    const [line = ''] = opened.headers.getSetCookie();
    expect(line).toMatch(/^foreword_session=[0-9A-Za-z]{32}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    const secret = browser.cookies.get(SESSION_COOKIE) ?? '';
    const rows = JSON.stringify(
      await fixture.database.query('select s.*, encode(s.hash, $1) as hash from console_sessions s', ['escape']),
    );
    expect(rows).not.toContain(secret);
    expect(fixture.service.output()).not.toContain(secret);
  });

  test('is bound to the host and to https when the service uses https', async () => {
    const secure = await fixture.newNode({ PUBLIC_URL: 'https://intros.acme.example' });
    try {
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
    } finally {
      await secure.stop();
    }
  });

  test('rotates after hours; the old one works for another minute and no longer', async () => {
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
    const [{ seconds } = { seconds: 0 }] = await fixture.database.query<{ seconds: number }>(
      `select extract(epoch from previous_until - rotated_at)::int as seconds from console_sessions where previous_hash is not null`,
    );
    // Both times are read one after the other, on a machine that may be busy.
    expect(seconds).toBeGreaterThanOrEqual(60);
    expect(seconds).toBeLessThanOrEqual(65);
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
    expect((await fixture.asClient(another).call('DELETE /sessions/:id', { params: { id: away } })).status).toBe(404);
    expect((await fixture.session(there)).status).toBe(200);
    expect((await fixture.asClient(here).call('DELETE /sessions/:id', { params: { id: away } })).status).toBe(200);
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

  test('and open links end immediately for a deactivated member', async () => {
    const member = ['--first-name', 'Leaving', '--last-name', 'Soon', '--email', 'leaving@acme.example'];
    const { id } = await fixture.run('member', 'create', '--org', fixture.organization.id, ...member);
    const link = () => fixture.run('signin', '--org', fixture.organization.id, '--email', 'leaving@acme.example');
    const browser = fixture.newBrowser();
    const [first, second] = [await link(), await link()];
    await browser.post(new URL(first.url).pathname);
    expect((await fixture.session(browser)).status).toBe(200);
    await fixture.run('member', 'deactivate', id);
    expect((await fixture.session(browser)).status).toBe(401);
    expect((await browser.get('/console/home')).status).toBe(303);
    expect((await fixture.newBrowser().post(new URL(second.url).pathname)).status).toBe(410);
  });
});
