import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { decideEmail, LINK_LIFE_MS, type SentLink } from '../../src/console/sessions/rules.ts';
import { forewordProgram, forFile, sleep } from '../harness/index.ts';
import { ANA, openSignIn, SESSION_COOKIE } from './sign-in-fixture.ts';

/** Usually longer than the service takes between two emails. */
const EMAIL_MS = 600;
/** Attempts are limited to 30 per address. */
const ROUNDS = 4;
const HOUR_S = 3_600;

const fixture = await forFile(openSignIn());
beforeEach(async () => {
  // An email from the previous test may still arrive.
  for (let seen = -1; seen !== fixture.inbox.emails.length; await sleep(EMAIL_MS)) seen = fixture.inbox.emails.length;
  await fixture.database.query('delete from signin_links');
});

/** Requests links for Ana from several networks, with a new browser each time, and expects this many emails. */
async function requestFrom(networks: number, perNetwork: number, expected: number): Promise<void> {
  const before = fixture.inbox.emails.length;
  const sent = () => fixture.inbox.emails.length - before;
  const request = async (network: number) => {
    const { status } = await fixture.submitEmail(fixture.newBrowser(`198.51.100.${100 + network}`));
    expect(status).toBe(200);
  };
  // A busy service may send no email for some of so many requests at once, so they are repeated.
  for (let round = 0; round < ROUNDS && (round === 0 || sent() < expected); round++) {
    await Promise.all(Array.from({ length: networks * perNetwork }, (_, n) => request(n % networks)));
    // Emails are sent after the response.
    await sleep(EMAIL_MS);
  }
  await expect.poll(sent).toBe(expected);
  await sleep(EMAIL_MS);
  expect(sent()).toBe(expected);
}

describe('strangers who request sign-in emails for a member', () => {
  test('from four networks, as often as they can, do not keep the next email from a new browser', async () => {
    await requestFrom(4, 7, 20);
    const member = fixture.newBrowser();
    expect((await member.get(await fixture.requestLink(member))).status).toBe(303);
    expect(member.cookies.has(SESSION_COOKIE)).toBe(true);
  });

  test('from 30 networks cause at most 24 emails, each of which signs the member in, once, in a new browser', async () => {
    await requestFrom(30, 2, 24);
    const paths = fixture.inbox.emails.slice(-24).map(({ path }) => path);
    const [first = '', second = ''] = paths;
    const member = fixture.newBrowser();
    expect((await member.get(first)).status).toBe(403);
    expect((await fixture.submitEmail(member)).status).toBe(200);
    expect((await member.get(first)).status).toBe(303);
    expect(await (await fixture.session(member)).json()).toMatchObject({ member: { email: ANA } });
    expect((await member.get(first)).status).toBe(410);
    // A browser that requested a link for another address, or none at all, still opens nothing.
    const thief = fixture.newBrowser();
    await fixture.submitEmail(thief, 'thief@elsewhere.example');
    expect([(await thief.get(second)).status, (await fixture.newBrowser().get(second)).status]).toEqual([403, 403]);
  });

  test('do not keep an email from a browser in which the member has signed in, and cannot open that one', async () => {
    const { browser } = await fixture.signedIn();
    await fixture.asClient(browser).call('POST /session/sign-out');
    await requestFrom(30, 1, 24);
    const path = await fixture.requestLink(browser);
    const stranger = fixture.newBrowser('198.51.100.140');
    await fixture.submitEmail(stranger);
    expect((await stranger.get(path)).status).toBe(403);
    expect((await browser.get(path)).status).toBe(303);
  });

  test('do not keep an owner out who has a link from the command', async () => {
    await requestFrom(30, 1, 24);
    const { url } = await forewordProgram(
      fixture.environment,
      ...['signin', '--org', fixture.organization.id, '--email', ANA],
    );
    const browser = fixture.newBrowser();
    expect((await browser.post(new URL(url).pathname)).status).toBe(303);
    expect((await fixture.session(browser)).status).toBe(200);
  });

  test('in one network get at most five emails in 15 minutes', async () => {
    await requestFrom(1, 7, 5);
  });
});

test('a request that reaches a limit looks the same as one for an unknown address', async () => {
  await requestFrom(1, 6, 5);
  const [limited, unknown] = [fixture.newBrowser('198.51.100.100'), fixture.newBrowser('198.51.100.100')];
  const responses = [await fixture.submitEmail(limited), await fixture.submitEmail(unknown, 'no.one@acme.example')];
  const seen = responses.map(async (response) => ({
    status: response.status,
    headers: [...response.headers.keys()].sort(),
    cookies: response.headers.getSetCookie().map((line) => line.replace(/=[^;]*/, '')),
    text: (await response.text()).replaceAll(/ana@acme\.example|no\.one@acme\.example/g, 'EMAIL'),
  }));
  expect(await seen[0]).toEqual(await seen[1]);
});

test('an hour of requests from ever new networks sends at most 36 emails, and a link that works is always in the inbox', () => {
  const sent: SentLink[] = [];
  for (let second = 0; second < HOUR_S; second++) {
    const now = new Date(second * 1_000);
    const network = createHash('sha256').update(String(second)).digest();
    const countsFor = decideEmail({ memberId: 'mem_1', network, isKnownBrowser: false, now }, sent);
    if (countsFor !== null)
      sent.push({ member_id: 'mem_1', requested_from: network, from_known_browser: false, created_at: now });
    const newestMs = sent.at(-1)?.created_at.getTime() ?? Number.NEGATIVE_INFINITY;
    expect(now.getTime() - newestMs).toBeLessThan(LINK_LIFE_MS);
  }
  expect(sent.length).toBeGreaterThan(24);
  expect(sent.length).toBeLessThanOrEqual(36);
});
