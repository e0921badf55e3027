import { expect } from 'vitest';
import { openService } from '../harness/open-service.ts';
import { type BrowserClient, createBrowserClient } from './browser-client.ts';
import { clientWith } from './console-client.ts';
import { openInbox } from './inbox.ts';

export const SESSION_COOKIE = 'foreword_session';
export const ANA = 'ana@acme.example';

/** A service that sends email, with one active and one deactivated member. */
export async function openSignIn() {
  const inbox = await openInbox();
  const fixture = await openService(inbox.environment);
  const { service, organization, run, database } = fixture;
  const names = ['--first-name', 'Gone', '--last-name', 'Away', '--email', 'gone@acme.example'];
  const { id } = await run('member', 'create', '--org', organization.id, ...names);
  await run('member', 'deactivate', id);

  const newBrowser = (address?: string) => createBrowserClient(service.url, address);
  const submitEmail = (browser: BrowserClient, email = ANA, next = '/console') =>
    browser.post('/console/signin', { email, next });
  /** Returns the path of the link that Ana receives. */
  const requestLink = async (browser: BrowserClient, next?: string): Promise<string> => {
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
    async signedIn(next?: string) {
      const browser = newBrowser();
      const response = await browser.get(await requestLink(browser, next));
      expect(response.status).toBe(303);
      return { browser, location: response.headers.get('location') };
    },
    session: (browser: BrowserClient) => browser.get('/console/api/session'),
    asClient: (browser: BrowserClient) => clientOf(browser.cookies.get(SESSION_COOKIE) ?? ''),
    countSessions: async () => (await database.query('select id from console_sessions where ended_at is null')).length,
    async close() {
      await fixture.close();
      await inbox.close();
    },
  };
}
