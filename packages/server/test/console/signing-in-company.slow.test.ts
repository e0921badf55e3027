import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import { forFile, openService } from '../harness/index.ts';
import { type BrowserClient, createBrowserClient } from './browser-client.ts';
import { openCompany } from './company.ts';

const SESSION = 'foreword_session';
const ANA = 'ana@acme.example';
/** PUBLIC_URL, to which the provider redirects. The service has another address; nothing listens here. */
const HOME = 'http://intros.acme.example';

/** Its own node has no company provider. */
const fixture = await forFile(openService({ PUBLIC_URL: HOME }));
const acme = fixture.organization;
const provider = await forFile(openCompany(`${HOME}/console/signin/company/callback`, { inIdToken: true }));
const service = await fixture.newNode(provider.environment);

const pathOf = (address: string): string => address.slice(HOME.length);
const comeBack = async (browser: BrowserClient, address: string) => browser.get(pathOf(address));
const own = { origin: HOME };
const whoIs = async (browser: BrowserClient) => (await browser.get('/console/api/session')).json();

test('the company provider signs in a member with a verified email, and opens the requested page', async () => {
  const browser = createBrowserClient(service.url);
  const back = await provider.logIn(browser, ANA, '/console/members');
  const opened = await comeBack(browser, back);
  expect([opened.status, opened.headers.get('location')]).toEqual([303, '/console/members']);
  expect(await whoIs(browser)).toMatchObject({ member: { id: acme.memberId } });
});

test('the email comes from the userinfo endpoint when the token has none', async () => {
  const other = await openCompany(`${HOME}/console/signin/company/callback`, { inIdToken: false });
  const node = await fixture.newNode(other.environment);
  try {
    const browser = createBrowserClient(node.url);
    expect((await comeBack(browser, await other.logIn(browser, 'ANA@acme.example'))).status).toBe(303);
    expect(browser.cookies.has(SESSION)).toBe(true);
  } finally {
    await node.stop();
    await other.close();
  }
});

test('an unverified email is rejected, and so is one without an active member', async () => {
  const member = ['--first-name', 'Gone', '--last-name', 'Away', '--email', 'gone@acme.example'];
  const { id } = await fixture.run('member', 'create', '--org', acme.id, ...member);
  await fixture.run('member', 'deactivate', id);
  await fixture.run('member', 'create', '--org', acme.id, ...member.slice(0, 4), '--email', 'kim@acme.example');
  // The last email contains a Kelvin sign, which PostgreSQL lowers to a k.
  for (const login of [`unverified:${ANA}`, 'stranger@acme.example', 'gone@acme.example', '\u212Aim@acme.example']) {
    const browser = createBrowserClient(service.url);
    const answer = await comeBack(browser, await provider.logIn(browser, login));
    expect([login, answer.status]).toEqual([login, 403]);
    expect(browser.cookies.size).toBe(0);
  }
});

test('the callback is accepted once, only in the browser that started, and only unchanged', async () => {
  const browser = createBrowserClient(service.url);
  const back = await provider.logIn(browser, ANA);
  const thief = createBrowserClient(service.url);
  expect((await comeBack(thief, back)).status).toBe(400);
  await provider.logIn(thief, 'thief@elsewhere.example');
  expect((await comeBack(thief, back)).status).toBe(502);
  const forged = new URL(back);
  forged.searchParams.set('state', 'x'.repeat(43));
  const copy = createBrowserClient(service.url);
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
  expect((await comeBack(copy, forged.href)).status).toBe(502);
  expect((await comeBack(browser, back)).status).toBe(303);
  expect((await comeBack(browser, back)).status).toBe(400);
  expect([thief.cookies.has(SESSION), copy.cookies.has(SESSION)]).toEqual([false, false]);
});

test('a pending sign-in that the browser wrote itself is rejected', async () => {
  const browser = createBrowserClient(service.url);
  const back = await provider.logIn(browser, ANA);
  const kept = browser.cookies.get('foreword_away') ?? '';
  const [state = ''] = [new URL(back).searchParams.get('state')];
  expect(Buffer.from(kept, 'base64url').toString('latin1')).not.toContain(state);
  for (const value of [
    Buffer.from(JSON.stringify({ value: { departure: { state }, next: '/console' }, until: 9e15 })).toString(
      'base64url',
    ),
    `${kept.slice(0, -2)}AA`,
  ]) {
    const forger = createBrowserClient(service.url);
    forger.cookies.set('foreword_away', value);
    expect((await comeBack(forger, back)).status).toBe(400);
    forger.cookies.set('foreword_choice', kept);
    expect((await forger.post('/console/signin/company/choose', { member: acme.memberId }, own)).status).toBe(400);
    expect(forger.cookies.has(SESSION)).toBe(false);
  }
});

test('members of several organizations choose one, and only those offered are accepted', async () => {
  const branch = await fixture.newOrganization({ name: 'Acme Windows' });
  const bo = ['--first-name', 'Bo', '--last-name', 'Li', '--email', 'bo@acme.example'];
  const stranger = await fixture.run('member', 'create', '--org', branch.id, ...bo);
  const browser = createBrowserClient(service.url);
  const page = await comeBack(browser, await provider.logIn(browser, ANA, '/console/home'));
  expect(page.status).toBe(200);
  const text = await page.text();
  expect(text).toContain('Acme Roofing');
  expect(text).toContain('Acme Windows');
  expect(browser.cookies.has(SESSION)).toBe(false);
  const choose = (member: string, headers: Record<string, string> = own) =>
    browser.post('/console/signin/company/choose', { member }, headers);
  expect(
    (await choose(branch.memberId, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).status,
  ).toBe(403);
  expect((await choose(stranger.id)).status).toBe(200);
  expect(browser.cookies.has(SESSION)).toBe(false);
  const chosen = await choose(branch.memberId);
  expect([chosen.status, chosen.headers.get('location')]).toEqual([303, '/console/home']);
  expect(await whoIs(browser)).toMatchObject({ organization: { id: branch.id }, member: { id: branch.memberId } });
  // The choice works once.
  expect((await choose(acme.memberId)).status).toBe(400);
});

test('a provider that does not respond is explained and logged, and tried again at the next sign-in', async () => {
  const gone = await openCompany(`${HOME}/console/signin/company/callback`, { inIdToken: true });
  await gone.close();
  const node = await fixture.newNode(gone.environment);
  onTestFinished(async () => void (await node.stop()));
  const answer = await createBrowserClient(node.url).get('/console/signin/company');
  expect(answer.status).toBe(502);
  expect(await answer.text()).toContain('sign-in failed');
  // The log is written after the response.
  await eventually(() => node.output().includes('company sign-in failed'));
  expect(node.output()).not.toContain(gone.clientSecret);
});

test('the sign-in page offers the company account only when it is set up', async () => {
  const page = await (await createBrowserClient(service.url).get('/console/signin?next=%2Fconsole%2Fhome')).text();
  expect(page).toContain('/console/signin/company?next=%2Fconsole%2Fhome');
  expect(await (await createBrowserClient(fixture.service.url).get('/console/signin')).text()).not.toContain('company');
  expect((await createBrowserClient(fixture.service.url).get('/console/signin/company/callback')).status).toBe(303);
});

test('signing in with a company provider logs no email, code or token', () => {
  const output = service.output();
  for (const secret of [ANA, 'code=', 'id_token', provider.clientSecret]) {
    expect(output).not.toContain(secret);
  }
});
