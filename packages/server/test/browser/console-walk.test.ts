import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCamera, startRecording } from '../../../web/test/acts.ts';
import { eventually } from '../acceptance/support/actions.ts';
import { type ConsoleClient, openConsole } from '../console/support.ts';
import type { Visit } from './console-screens.ts';
import { type FirstStart, openFirstStart } from './console-stage.ts';
import { button, playToTheEnd, untilHeading } from './studio.ts';

const TAKE_MS = 4_000;
const SCRIPT = 'Hi {{ recipient.first_name }}, Mia from {{ organization.name }} here. See you soon at your house.';
const SAID = 'Hi Dana, Mia from Acme Roofing here. See you soon at your house.';
const OFFLINE = 'You are offline. This page may be out of date.';
const SILENT = 'The server is not responding. Retrying.';
/** A server that is gone, a network that is gone: the browser itself reports them. */
const OF_THE_BROWSER = /Failed to load resource|ERR_/;

let first: FirstStart;
let owner: Visit;
let member: Visit;
let introId: string;

beforeAll(async () => {
  first = await openFirstStart();
}, 120_000);
afterAll(() => first?.close());

const go = (page: Page, place: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place, exact: true }).click();
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
const introNow = async () => (await first.api.get(`/v1/intros/${introId}`)).body;
const noted = ({ complaints }: Visit) => complaints.splice(0).filter((complaint) => !OF_THE_BROWSER.test(complaint));

/** What the page forgets when it is loaded anew. */
const mark = (page: Page) => page.evaluate('window.isTheSame = true');
const isTheSame = (page: Page) => page.evaluate('window.isTheSame === true');

// One walk: what was done cannot be done a second time.
const ONCE = { retry: 0 };

describe('a first day, from the first start to a video that was watched', ONCE, () => {
  test('the link that the first start prints signs its owner in, and the console says how to begin', async () => {
    owner = await first.openDesk(first.signInLink);
    const { page } = owner;
    expect(new URL(page.url()).pathname).toBe('/console/overview');
    await untilHeading(page, 'Get your first video in three steps');
    // Whatever the hour at which this runs, texts may go.
    await first.database.query(
      `insert into delivery_settings (organization_id, environment, texts_from, texts_until, updated_at)
       select id, 'test', 0, 1440, now() from organizations`,
    );
  });

  test('a member is added, and a touchpoint renamed and rewritten: the API has both within a second', async () => {
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
    await field(page, 'Name').fill('First visit');
    await field(page, 'Script').fill(SCRIPT);
    await page.getByText('2 unsaved changes').waitFor();
    await button(page, 'Save').click();
    await untilHeading(page, 'First visit');
    const { data } = (await first.api.get('/v1/touchpoints')).body;
    expect(data.find(({ slug }: { slug: string }) => slug === 'new_appointment').name).toBe('First visit');
    expect((await first.api.get('/v1/members')).body.data.map((one: { email: string }) => one.email)).toContain(
      'mia@acme.example',
    );
  });

  test('an event that names them stands in the home of the member by itself, one tap from the recorder', async () => {
    member = await first.openPhone(await first.linkFor('mia@acme.example'));
    const { page } = member;
    expect(new URL(page.url()).pathname).toBe('/console/home');
    await untilHeading(page, 'Nothing to record');
    await mark(page);
    const { status, body } = await first.api.post('/v1/touchpoint-events', {
      touchpoint: 'new_appointment',
      occurred_at: '2026-03-10T09:15:00Z',
      member: { external_id: 'rep_42' },
      recipient: { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123' },
      context: { appointment: { starts_at: '2031-03-12T14:30:00', timezone: 'America/Chicago' } },
    });
    expect(status).toBe(202);
    const task = page.getByRole('link', { name: /Dana Reyes.*First visit/s });
    await task.waitFor();
    expect(await isTheSame(page)).toBe(true);
    introId = (await first.api.get(`/v1/events/${body.id}`)).body.intro;
    expect((await introNow()).instructions.script).toBe(SAID);
    await task.tap();
    await page.waitForURL(/\/r\//);
    await untilHeading(page, 'For Dana Reyes');
  });

  test('it is recorded, sent, opened and watched, and its timeline at the owner’s desk follows without loading anew', async () => {
    const { page } = member;
    const desk = owner.page;
    await desk.goto(`${first.url}/console/intros/${introId}`);
    await untilHeading(desk, 'For Dana Reyes');
    await mark(desk);
    await openCamera(page);
    await startRecording(page);
    await page.waitForTimeout(TAKE_MS);
    await button(page, 'Stop').click();
    await button(page, 'Send to Dana').click();
    const sent = await eventually(introNow, ({ status }) => status === 'sent', 60_000);
    const timeline = desk.getByRole('region', { name: 'Timeline' });
    for (const step of ['Recorder opened', 'Video ready', 'Link sent to recipient']) {
      await timeline.getByText(step).waitFor();
    }
    await desk.locator('video').first().waitFor();

    const recipient = await first.browser.newContext({ viewport: { width: 390, height: 844 } });
    const letter = await recipient.newPage();
    await letter.goto(sent.delivery.recipient_url);
    await playToTheEnd(letter);
    const watched = timeline.getByRole('listitem').filter({ hasText: 'Video watched' });
    await watched.filter({ hasText: '100%' }).waitFor();
    expect(await isTheSame(desk)).toBe(true);
    await recipient.close();
    await page.goto(`${first.url}/console/home`);
    await page.getByText('Watched 100%').waitFor();
  });

  test('whoever is a member opens nothing that is not theirs by its address', async () => {
    const { page } = member;
    for (const path of ['/members', '/touchpoints', '/developers/keys', '/overview', '/outbox', '/brand', '/intros']) {
      await page.goto(`${first.url}/console${path}`);
      await untilHeading(page, 'Only for');
    }
    const { body: theirs } = await first.api.post('/v1/intros', {
      member: { external_id: 'rep_17' },
      recipient: { first_name: 'Kurt', last_name: 'Vance', phone: '+14155550124' },
    });
    await page.goto(`${first.url}/console/intros/${theirs.id}`);
    await page
      .getByRole('alert')
      .or(page.getByRole('heading', { name: /Page not found|not load/ }))
      .first()
      .waitFor();
    expect(await page.getByText('Kurt').count()).toBe(0);
    for (const path of [`api/intros/${theirs.id}`, `media/${introId}x/video.mp4`, `media/${theirs.id}/video.mp4`]) {
      expect((await page.request.get(`${first.url}/console/${path}`)).status(), path).toBe(404);
    }
    for (const path of ['api/members', 'api/overview', 'export/intros.csv?days=7', `preview/${theirs.id}`]) {
      expect((await page.request.get(`${first.url}/console/${path}`)).status(), path).toBeGreaterThanOrEqual(403);
    }
  });
});

describe('when things get in the way', ONCE, () => {
  let second: ConsoleClient;

  test('of a file with bad lines the good ones are imported, when that is chosen, and nothing of the others', async () => {
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
      const { data } = (await first.api.get('/v1/members')).body;
      return data.map((one: { email: string }) => one.email).sort();
    };
    expect(await emails()).toEqual(['ana@acme.example', 'mia@acme.example']);
    await page.getByRole('radio', { name: 'Skip them' }).check();
    await button(page, 'Add 1 member').click();
    await untilHeading(page, 'Import finished');
    expect(await emails()).toEqual(['ana@acme.example', 'mia@acme.example', 'nora@acme.example']);
  });

  test('of two people who edit one touchpoint the second is told, and nothing is overwritten', async () => {
    const { page } = owner;
    const [organization] = await first.database.query<{ id: string }>('select id from organizations');
    second = await openConsole(first, { org: organization?.id ?? '', email: 'ana@acme.example' });
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
    expect(await field(page, 'Script').inputValue()).toBe('Mine.');
  });

  test('without a network, and while the server is started again, it says so, keeps what was typed, and comes back', async () => {
    const { page } = owner;
    await mark(page);
    await field(page, 'Script').fill('Kept through it all.');
    await page.context().setOffline(true);
    await page.getByText(OFFLINE).waitFor();
    await button(page, 'Save').click();
    await page.getByText('The server did not respond').first().waitFor();
    expect(await field(page, 'Script').inputValue()).toBe('Kept through it all.');
    await page.context().setOffline(false);
    await page.getByText(OFFLINE).waitFor({ state: 'detached' });

    await first.kill();
    await page.getByText(SILENT).waitFor();
    expect(await field(page, 'Script').inputValue()).toBe('Kept through it all.');
    await first.startAgain();
    await page.getByText(SILENT).waitFor({ state: 'detached' });
    await button(page, 'Save').click();
    await page.getByText('Saved. Your changes are live.').waitFor();
    const { body } = await second.call('GET /touchpoints/:slug', { params: { slug: 'new_appointment' } });
    expect(body.script).toBe('Kept through it all.');
    expect(await isTheSame(page)).toBe(true);
  });

  test('a key that is revoked opens nothing a second later', async () => {
    const { page } = owner;
    await go(page, 'Developers');
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await button(page, 'Revoke Demo').click();
    expect((await first.api.get('/v1/intros')).status).toBe(200);
    await button(page, 'Revoke key').click();
    await page.getByText('“Demo” is revoked.').waitFor();
    await eventually(
      async () => (await first.api.get('/v1/intros')).status,
      (status) => status === 401,
      1_000,
    );
  });

  test('neither browser had a fault, nor asked anybody else for anything', () => {
    expect([...noted(owner), ...noted(member)]).toEqual([]);
  });
});
