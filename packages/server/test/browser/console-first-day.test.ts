import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCamera, startRecording } from '../../../web/test/actions.ts';
import { eventually } from '../acceptance/support/actions.ts';
import { type ConsoleClient, openConsole } from '../console/console-client.ts';
import type { ConsolePage } from './console-browser.ts';
import { type FirstStart, openFirstStart } from './console-fixture.ts';
import { button, playToTheEnd, untilHeading } from './page-actions.ts';

const TAKE_MS = 4_000;
const SCRIPT = 'Hi {{ recipient.first_name }}, Mia from {{ organization.name }} here. See you soon at your house.';
const RENDERED_SCRIPT = 'Hi Dana, Mia from Acme Roofing here. See you soon at your house.';
const OFFLINE = 'You are offline. This page may be out of date.';
const UNREACHABLE = 'The server is not responding. Retrying.';
/** The browser logs these when the server or the network is down. */
const NETWORK_ERROR = /Failed to load resource|ERR_/;

let fixture: FirstStart;
let owner: ConsolePage;
let member: ConsolePage;
let introId: string;

beforeAll(async () => {
  fixture = await openFirstStart();
}, 120_000);
afterAll(() => fixture?.close());

const go = (page: Page, place: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place, exact: true }).click();
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
const introNow = async () => (await fixture.api.get(`/v1/intros/${introId}`)).body;
const takeErrors = ({ errors }: ConsolePage) => errors.splice(0).filter((error) => !NETWORK_ERROR.test(error));

/** Sets a variable that a reload would clear. */
const markLoaded = (page: Page) => page.evaluate('window.isSameLoad = true');
const isSameLoad = (page: Page) => page.evaluate('window.isSameLoad === true');

// Each test continues from the one before, so none can be retried.
const NO_RETRY = { retry: 0 };

describe('the first day, from the first start to a watched video', NO_RETRY, () => {
  test('the printed sign-in link works, and the console shows what to set up', async () => {
    owner = await fixture.openDesktop(fixture.signInLink);
    const { page } = owner;
    expect(new URL(page.url()).pathname).toBe('/console/overview');
    await untilHeading(page, 'Set up Foreword');
    // Lifts quiet hours, so that the test can run at any time of day.
    await fixture.database.query(
      `insert into delivery_settings (organization_id, environment, texts_from, texts_until, updated_at)
       select id, 'test', 0, 1440, now() from organizations`,
    );
  });

  test('a new member and an edited touchpoint are in the API after saving', async () => {
    const { page } = owner;
    await go(page, 'Members');
    await button(page, 'Add member').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('First name').fill('Mia');
    await dialog.getByLabel('Last name').fill('Lopez');
    await dialog.getByLabel('Email').fill('mia@acme.example');
    await dialog.getByLabel('External ID').fill('rep_42');
    await dialog.getByRole('button', { name: 'Add member' }).click();
    await untilHeading(page, 'Mia Lopez');

    await go(page, 'Touchpoints');
    await page.getByRole('link', { name: 'New appointment', exact: true }).click();
    await untilHeading(page, 'New appointment');
    await button(page, 'Rename').click();
    await field(page, 'Name').fill('First visit');
    await field(page, 'Script').fill(SCRIPT);
    await page.getByText('2 unsaved changes').waitFor();
    await button(page, 'Save').click();
    await page.getByText('Saved. Your changes are live.').waitFor();
    await untilHeading(page, 'First visit');
    const { data } = (await fixture.api.get('/v1/touchpoints')).body;
    expect(data.find(({ slug }: { slug: string }) => slug === 'new_appointment').name).toBe('First visit');
    expect((await fixture.api.get('/v1/members')).body.data.map((one: { email: string }) => one.email)).toContain(
      'mia@acme.example',
    );
  });

  test('an event for the member appears on their home page without a reload, one tap from the recorder', async () => {
    member = await fixture.openPhone(await fixture.createSignInLink('mia@acme.example'));
    const { page } = member;
    expect(new URL(page.url()).pathname).toBe('/console/home');
    await untilHeading(page, 'Nothing to record');
    await markLoaded(page);
    const { status, body } = await fixture.api.post('/v1/touchpoint-events', {
      touchpoint: 'new_appointment',
      occurred_at: '2026-03-10T09:15:00Z',
      member: { external_id: 'rep_42' },
      recipient: { first_name: 'Dana', last_name: 'Reyes', phone: '+15005550123' },
      context: { appointment: { starts_at: '2031-03-12T14:30:00', timezone: 'America/Chicago' } },
    });
    expect(status).toBe(202);
    const task = page.getByRole('link', { name: /Dana Reyes.*First visit/s });
    await task.waitFor();
    expect(await isSameLoad(page)).toBe(true);
    introId = (await fixture.api.get(`/v1/events/${body.id}`)).body.intro;
    expect((await introNow()).instructions.script).toBe(RENDERED_SCRIPT);
    await task.tap();
    await page.waitForURL(/\/r\//);
    await untilHeading(page, 'For Dana Reyes');
  });

  test('the intro is recorded, sent, opened and watched, and the owner sees it in the timeline without a reload', async () => {
    const { page } = member;
    const ownerPage = owner.page;
    await ownerPage.goto(`${fixture.url}/console/intros/${introId}`);
    await untilHeading(ownerPage, 'For Dana Reyes');
    await markLoaded(ownerPage);
    await openCamera(page);
    await startRecording(page);
    await page.waitForTimeout(TAKE_MS);
    await button(page, 'Stop').click();
    await button(page, 'Send to Dana').click();
    const sent = await eventually(introNow, ({ status }) => status === 'sent', 60_000);
    const timeline = ownerPage.getByRole('region', { name: 'Timeline' });
    for (const step of ['Recorder opened', 'Video ready', 'Text simulated, not sent']) {
      await timeline.getByText(step).waitFor();
    }
    await ownerPage.locator('video').first().waitFor();

    const recipient = await fixture.browser.newContext({ viewport: { width: 390, height: 844 } });
    const recipientPage = await recipient.newPage();
    await recipientPage.goto(sent.delivery.recipient_url);
    await playToTheEnd(recipientPage);
    await timeline.getByText('Watched to the end').waitFor();
    expect(await timeline.getByText('Watched').count()).toBe(1);
    expect(await isSameLoad(ownerPage)).toBe(true);
    await recipient.close();
    await page.goto(`${fixture.url}/console/home`);
    await page.getByText('Watched 100%').waitFor();
  });

  test('a member cannot open pages or data of others by URL', async () => {
    const { page } = member;
    for (const path of ['/members', '/touchpoints', '/developers/keys', '/overview', '/outbox', '/brand', '/intros']) {
      await page.goto(`${fixture.url}/console${path}`);
      await untilHeading(page, 'Only for');
    }
    const { body: theirs } = await fixture.api.post('/v1/intros', {
      member: { external_id: 'rep_17' },
      recipient: { first_name: 'Kurt', last_name: 'Vance', phone: '+14155550124' },
    });
    await page.goto(`${fixture.url}/console/intros/${theirs.id}`);
    await page
      .getByRole('alert')
      .or(page.getByRole('heading', { name: /Page not found|not load/ }))
      .first()
      .waitFor();
    expect(await page.getByText('Kurt').count()).toBe(0);
    for (const path of [`api/intros/${theirs.id}`, `media/${introId}x/video.mp4`, `media/${theirs.id}/video.mp4`]) {
      expect((await page.request.get(`${fixture.url}/console/${path}`)).status(), path).toBe(404);
    }
    for (const path of ['api/members', 'api/overview', 'export/intros.csv?days=7', `preview/${theirs.id}`]) {
      expect((await page.request.get(`${fixture.url}/console/${path}`)).status(), path).toBeGreaterThanOrEqual(403);
    }
  });
});

describe('when something goes wrong', NO_RETRY, () => {
  let second: ConsoleClient;

  test('an import with invalid lines imports only the valid ones on request', async () => {
    const { page } = owner;
    await go(page, 'Members');
    await page.getByRole('link', { name: 'Import' }).click();
    const lines =
      'first_name,last_name,email\nNora,Quist,nora@acme.example\nOmar,Haddad,nowhere\n,Nameless,x@acme.example';
    await page.getByRole('textbox').fill(lines);
    await button(page, 'Review changes').click();
    await untilHeading(page, 'Review changes');
    await page.getByText('2 rows can’t be imported').waitFor();
    const emails = async () => {
      const { data } = (await fixture.api.get('/v1/members')).body;
      return data.map((one: { email: string }) => one.email).sort();
    };
    expect(await emails()).toEqual(['ana@acme.example', 'mia@acme.example']);
    await page.getByRole('radio', { name: 'Skip them' }).check();
    await button(page, 'Add 1 member').click();
    await untilHeading(page, 'Import finished');
    expect(await emails()).toEqual(['ana@acme.example', 'mia@acme.example', 'nora@acme.example']);
  });

  test('the second of two editors sees the conflict, and nothing is overwritten', async () => {
    const { page } = owner;
    const [organization] = await fixture.database.query<{ id: string }>('select id from organizations');
    second = await openConsole(fixture, { org: organization?.id ?? '', email: 'ana@acme.example' });
    await go(page, 'Touchpoints');
    await page.getByRole('link', { name: 'First visit', exact: true }).click();
    await untilHeading(page, 'First visit');
    await field(page, 'Script').fill('Mine.');
    const params = { slug: 'new_appointment' };
    const { version } = (await second.call('GET /touchpoints/:slug', { params })).body;
    await second.call('POST /touchpoints/:slug', { params, body: { version, script: 'Theirs.' } });
    await button(page, 'Save').click();
    await untilHeading(page, 'Two versions');
    expect((await second.call('GET /touchpoints/:slug', { params })).body.script).toBe('Theirs.');
    await button(page, 'Continue editing').click();
    expect(await field(page, 'Script').textContent()).toBe('Mine.');
  });

  test('an outage of the network or the server shows a message, loses nothing typed, and recovers without a reload', async () => {
    const { page } = owner;
    await markLoaded(page);
    await field(page, 'Script').fill('Kept during the outage.');
    await page.context().setOffline(true);
    await page.getByText(OFFLINE).waitFor();
    await button(page, 'Save').click();
    await page.getByText('The server did not respond').first().waitFor();
    expect(await field(page, 'Script').textContent()).toBe('Kept during the outage.');
    await page.context().setOffline(false);
    await page.getByText(OFFLINE).waitFor({ state: 'detached' });

    await fixture.kill();
    await page.getByText(UNREACHABLE).waitFor();
    expect(await field(page, 'Script').textContent()).toBe('Kept during the outage.');
    await fixture.restart();
    await page.getByText(UNREACHABLE).waitFor({ state: 'detached' });
    await button(page, 'Save').click();
    await page.getByText('Saved. Your changes are live.').waitFor();
    const { body } = await second.call('GET /touchpoints/:slug', { params: { slug: 'new_appointment' } });
    expect(body.script).toBe('Kept during the outage.');
    expect(await isSameLoad(page)).toBe(true);
  });

  test('a revoked key is rejected within a second', async () => {
    const { page } = owner;
    await go(page, 'Developers');
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await button(page, 'Revoke Demo').click();
    expect((await fixture.api.get('/v1/intros')).status).toBe(200);
    await button(page, 'Revoke key').click();
    await page.getByText('“Demo” is revoked.').waitFor();
    await eventually(
      async () => (await fixture.api.get('/v1/intros')).status,
      (status) => status === 401,
      1_000,
    );
  });

  test('no page had an error or sent a request to another host', () => {
    expect([...takeErrors(owner), ...takeErrors(member)]).toEqual([]);
  });
});
