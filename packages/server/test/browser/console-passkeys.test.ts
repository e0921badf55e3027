import type { CDPSession, Page } from 'playwright-core';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { forFile, freePort, openService } from '../harness/index.ts';
import { openChromium } from './chromium.ts';
import { openConsolePage, signIn } from './console-browser.ts';
import { button, expectAccessibleInBothModes, untilHeading } from './page-actions.ts';

/** Browsers offer passkeys on localhost without https. */
const port = await freePort();
const url = `http://localhost:${port}`;
const fixture = await forFile(openService({ PORT: String(port), PUBLIC_URL: url }));
const browser = await forFile(openChromium());
afterEach(() => fixture.database.query('update organizations set second_factor_from = null'));

let people = 0;

async function addPerson(role: 'owner' | 'manager' | 'member', org = fixture.organization.id) {
  const email = `person${++people}@acme.example`;
  const names = ['--first-name', 'Person', '--last-name', `Number ${people}`, '--email', email];
  const { id } = await fixture.run('member', 'create', '--org', org, ...names, '--role', role);
  return { id: id as string, email, org };
}
type Person = Awaited<ReturnType<typeof addPerson>>;

/** A browser with a virtual authenticator, as a phone or laptop has a real one. */
async function openBrowser(viewport = { width: 1280, height: 800 }) {
  const tab = await openConsolePage(browser, url, { viewport });
  onTestFinished(() => tab.page.context().close());
  const devtools = await tab.page.context().newCDPSession(tab.page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return { ...tab, devtools, authenticatorId };
}

const linkFor = async ({ org, email }: Person): Promise<string> =>
  (await fixture.run('signin', '--org', org, '--email', email)).url;

/** Opens a sign-in link, after which a passkey may be needed. */
async function openLink(page: Page, person: Person): Promise<void> {
  await page.goto(url + new URL(await linkFor(person)).pathname);
  await button(page, 'Sign in').click();
}

const untilConsole = (page: Page) => page.waitForURL((at) => /^\/console\/(?!signin)/.test(at.pathname));

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.goto(`${url}/console/account`);
  await button(page, 'Add passkey').click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await button(page, 'Continue').click();
  await page.getByText('Passkey added').waitFor();
  await page.getByRole('list', { name: 'Your passkeys' }).getByText(name, { exact: true }).waitFor();
}

const statusOf = (page: Page, path: string): Promise<number> =>
  page.evaluate(`fetch(${JSON.stringify(path)}).then(({ status }) => status)`);

async function signedInWithPasskey(role: 'owner' | 'manager' | 'member' = 'member') {
  const person = await addPerson(role);
  const tab = await openBrowser();
  await signIn(tab.page, url, await linkFor(person));
  await addPasskey(tab.page, 'Laptop');
  return { ...tab, person };
}

/** The sign-ins and new passkeys of a member in the audit log, oldest first. */
async function entriesOf(memberId: string): Promise<string[]> {
  const rows = await fixture.database.sql<{ action: string }>`select action from audit_entries
    where (actor_id = ${memberId} or object_id = ${memberId})
      and action in ('session.started', 'session.failed', 'passkey.added') order by at, id`;
  return rows.map(({ action }) => action);
}

const clearCredentials = (devtools: CDPSession, authenticatorId: string) =>
  devtools.send('WebAuthn.clearCredentials', { authenticatorId });

test('a member adds a passkey, and from then on nothing opens without it', async () => {
  const { page, errors, person } = await signedInWithPasskey();
  await page.goto(url + new URL(await linkFor(person)).pathname);
  await expectAccessibleInBothModes(page);
  await button(page, 'Sign in').click();
  await untilHeading(page, 'Use your passkey');
  await expectAccessibleInBothModes(page);
  expect(await statusOf(page, '/console/api/session')).toBe(401);
  expect(await statusOf(page, '/console/api/live')).toBe(401);
  await page.goto(`${url}/console/account`);
  await untilHeading(page, 'Use your passkey');
  const before = await page.context().cookies();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await untilHeading(page, 'Account');
  // The secret that was known before the passkey was used no longer works.
  const [pending, complete] = [before, await page.context().cookies()].map(
    (all) => all.find(({ name }) => name === 'foreword_session')?.value,
  );
  expect(complete).not.toBe(pending);
  const used = await fixture.database.sql`select 1 from console_sessions where member_id = ${person.id}
    and second_factor_at is not null and ended_at is null`;
  expect(used).toHaveLength(1);
  // A sign-in counts once the passkey confirmed it.
  expect(await entriesOf(person.id)).toEqual(['session.started', 'passkey.added', 'session.started']);
  expect(errors.filter((text) => !text.includes('401'))).toEqual([]);
});

test('another passkey, a copied one and a repeated response are refused, with a message, and the next try works', async () => {
  const { page, devtools, authenticatorId, person } = await signedInWithPasskey();
  const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId });
  await openLink(page, person);
  await untilHeading(page, 'Use your passkey');
  const tryIt = async (text: string) => {
    await button(page, 'Use passkey').click();
    await page.getByRole('alert').getByText(text).waitFor();
  };
  await clearCredentials(devtools, authenticatorId);
  await tryIt('Nothing was confirmed');
  for (const credential of credentials) {
    await devtools.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount: 5 } });
  }
  // A copy has been used more often than this one.
  await fixture.database.sql`update passkeys set counter = 100 where member_id = ${person.id}`;
  await tryIt('not accepted');
  await fixture.database.sql`update passkeys set counter = 0 where member_id = ${person.id}`;
  const [sent] = await Promise.all([
    page.waitForRequest(`${url}/console/signin/passkey/use`),
    page.route('**/passkey/use', (route) => route.abort(), { times: 1 }),
    button(page, 'Use passkey').click(),
  ]);
  const send = async () =>
    (
      await page.request.post(`${url}/console/signin/passkey/use`, {
        headers: { origin: url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
        data: sent.postData() ?? '',
      })
    ).status();
  await fixture.database.sql`update console_sessions set challenge_expires_at = now() - interval '1 second'
    where member_id = ${person.id}`;
  expect(await send()).toBe(422);
  await button(page, 'Use passkey').click();
  await untilConsole(page);
  expect(await send()).toBe(401);
  expect((await entriesOf(person.id)).filter((action) => action === 'session.failed')).toHaveLength(2);
});

test('each organization of a person asks for its own passkeys only', async () => {
  const { page, person } = await signedInWithPasskey();
  const other = await fixture.newOrganization({ name: 'Acme Windows' });
  const names = ['--first-name', 'Same', '--last-name', 'Person', '--email', person.email];
  const { id } = await fixture.run('member', 'create', '--org', other.id, ...names);
  await openLink(page, { ...person, id, org: other.id });
  await untilConsole(page);
  expect(await statusOf(page, '/console/api/session')).toBe(200);
  await page.goto(`${url}/console/account`);
  await page.getByText('No passkeys yet').waitFor();
});

test('passkeys are renamed and removed; without one, signing in asks for none', async () => {
  const { page, person } = await signedInWithPasskey();
  await button(page, 'Rename Laptop').click();
  await page.getByLabel('Name', { exact: true }).fill('Work laptop');
  await button(page, 'Save').last().click();
  await page.getByText('Passkey renamed').waitFor();
  await button(page, 'Remove Work laptop').click();
  await button(page, 'Remove passkey').click();
  await page.getByText('No passkeys yet').waitFor();
  await openLink(page, person);
  await untilConsole(page);
});

test('a sign-in that is not recent cannot add a first passkey', async () => {
  const person = await addPerson('member');
  const { page } = await openBrowser();
  await signIn(page, url, await linkFor(person));
  await fixture.database.sql`update console_sessions set created_at = now() - interval '16 minutes'
    where member_id = ${person.id}`;
  await page.goto(`${url}/console/account`);
  await page.getByText('To add your first passkey, sign in again').waitFor();
  const status = await page.evaluate(
    `fetch('/console/api/passkeys/options', { method: 'POST' }).then((r) => r.status)`,
  );
  expect(status).toBe(422);
});

test('an owner requires passkeys: others get a week, then add one to sign in; members without a role need none', async () => {
  const boss = await addPerson('owner');
  const { page } = await openBrowser();
  await signIn(page, url, await linkFor(boss));
  await page.goto(`${url}/console/organization/security`);
  await button(page, 'Require passkeys').click();
  await page.getByText('Add a passkey for yourself first').waitFor();
  await addPasskey(page, 'Key');
  await page.goto(`${url}/console/organization/security`);
  await button(page, 'Require passkeys').click();
  await page.getByText(/^Required from/).waitFor();

  const manager = await addPerson('manager');
  const member = await addPerson('member');
  const phone = await openBrowser({ width: 390, height: 844 });
  await signIn(phone.page, url, await linkFor(manager));
  await phone.page.getByText('Your organization requires a passkey from').waitFor();
  // Otherwise the console leaves its page as soon as the passkey is required.
  await phone.page.goto('about:blank');
  await fixture.database.sql`update organizations set second_factor_from = now() - interval '1 second'
    where id = ${fixture.organization.id}`;
  await openLink(phone.page, manager);
  await untilHeading(phone.page, 'Add a passkey');
  await expectAccessibleInBothModes(phone.page);
  expect(await statusOf(phone.page, '/console/api/session')).toBe(401);
  await button(phone.page, 'Add passkey').click();
  await untilConsole(phone.page);
  await phone.page.goto(`${url}/console/account`);
  await button(phone.page, /^Remove /).click();
  await button(phone.page, 'Remove passkey').click();
  await phone.page.getByText('Your organization requires a passkey. Add another one').waitFor();

  const plain = await openBrowser();
  await openLink(plain.page, member);
  await untilConsole(plain.page);
});

test('an owner, or the command, removes a lost passkey; it signs the member out, who gets in by email again', async () => {
  const { page, devtools, authenticatorId, person } = await signedInWithPasskey('manager');
  const boss = await addPerson('owner');
  const owner = await openBrowser();
  await signIn(owner.page, url, await linkFor(boss));
  await owner.page.goto(`${url}/console/members/${person.id}`);
  await button(owner.page, 'Remove passkeys').click();
  await button(owner.page, 'Remove passkeys').last().click();
  await owner.page.getByText('Passkeys removed').waitFor();
  expect(await statusOf(page, '/console/api/session')).toBe(401);
  await clearCredentials(devtools, authenticatorId);
  await openLink(page, person);
  await untilConsole(page);
  await addPasskey(page, 'New one');
  expect(await fixture.run('member', 'reset-passkeys', person.id)).toMatchObject({
    id: person.id,
    removed_passkeys: 1,
  });
  await openLink(page, person);
  await untilConsole(page);
});
