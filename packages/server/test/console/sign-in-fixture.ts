import { expect } from 'vitest';
import { openService, type ServiceFixture } from '../harness/open-service.ts';
import { type BrowserClient, createBrowserClient } from './browser-client.ts';
import { type ConsoleClient, clientWith } from './console-client.ts';
import { type Inbox, openInbox } from './inbox.ts';

export const SESSION_COOKIE = 'foreword_session';
export const ANA = 'ana@acme.example';

/** A service that sends email, with one active and one deactivated member. */
export interface SignInFixture extends ServiceFixture {
  readonly inbox: Inbox;
  newBrowser(address?: string): BrowserClient;
  submitEmail(browser: BrowserClient, email?: string, next?: string): Promise<Response>;
  /** Returns the path of the link that Ana receives. */
  requestLink(browser: BrowserClient, next?: string): Promise<string>;
  signedIn(next?: string): Promise<{ browser: BrowserClient; location: string | null }>;
  session(browser: BrowserClient): Promise<Response>;
  asClient(browser: BrowserClient): ConsoleClient;
  clientOf(secret: string): ConsoleClient;
  countSessions(): Promise<number>;
}

export async function openSignIn(): Promise<SignInFixture> {
  const inbox = await openInbox();
  const fixture = await openService(inbox.environment);
  const { service, organization, run, database } = fixture;
  const names = ['--first-name', 'Gone', '--last-name', 'Away', '--email', 'gone@acme.example'];
  const { id } = await run('member', 'create', '--org', organization.id, ...names);
  await run('member', 'deactivate', id);

  const newBrowser = (address?: string) => createBrowserClient(service.url, address);
  const submitEmail: SignInFixture['submitEmail'] = (browser, email = ANA, next = '/console') =>
    browser.post('/console/signin', { email, next });
  const requestLink: SignInFixture['requestLink'] = async (browser, next) => {
    const before = inbox.emails.length;
    expect((await submitEmail(browser, ANA, next)).status).toBe(200);
    return (await inbox.newest(before + 1)).path;
  };
  const clientOf = (secret: string) => clientWith(service.url, `${SESSION_COOKIE}=${secret}`);
  return {
    ...fixture,
    inbox,
    newBrowser,
    submitEmail,
    requestLink,
    clientOf,
    async signedIn(next) {
      const browser = newBrowser();
      const response = await browser.get(await requestLink(browser, next));
      expect(response.status).toBe(303);
      return { browser, location: response.headers.get('location') };
    },
    session: (browser) => browser.get('/console/api/session'),
    asClient: (browser) => clientOf(browser.cookies.get(SESSION_COOKIE) ?? ''),
    countSessions: async () => (await database.query('select id from console_sessions where ended_at is null')).length,
    async close() {
      await fixture.close();
      await inbox.close();
    },
  };
}
