import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openCamera, startRecording } from '../../../web/test/actions.ts';
import { eventually } from '../acceptance/support/actions.ts';
import { foreword, forFile } from '../harness/index.ts';
import type { ConsolePage } from './console-browser.ts';
import { openFirstStart } from './console-fixture.ts';
import { button, playToTheEnd, untilHeading } from './page-actions.ts';

const TAKE_MS = 4_000;
const fixture = await forFile(openFirstStart());
let owner: ConsolePage;
let member: ConsolePage;
let introId: string;

const introNow = async () => (await fixture.api.get(`/v1/intros/${introId}`)).body;
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

  test('a new member has a sign-in link', async () => {
    const [organization] = await fixture.database.query<{ id: string }>('select id from organizations');
    const person = ['--first-name', 'Mia', '--last-name', 'Lopez', '--email', 'mia@acme.example'];
    await foreword(
      fixture.environment,
      'member',
      'create',
      '--org',
      organization?.id ?? '',
      ...person,
      '--external-id',
      'rep_42',
    );
    member = await fixture.openPhone(await fixture.createSignInLink('mia@acme.example'));
    expect(new URL(member.page.url()).pathname).toBe('/console/home');
  });

  test('an event for the member appears on their home page without a reload, one tap from the recorder', async () => {
    const { page } = member;
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
    const task = page.getByRole('link', { name: /Dana Reyes.*New appointment/s });
    await task.waitFor();
    expect(await isSameLoad(page)).toBe(true);
    introId = (await fixture.api.get(`/v1/events/${body.id}`)).body.intro;
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
    const sent = await eventually(introNow, { status: 'sent' }, 60_000);
    const timeline = ownerPage.getByRole('region', { name: 'Timeline' });
    for (const step of ['Recorder opened', 'Video ready', 'Simulated']) {
      await timeline.getByText(step, { exact: true }).waitFor();
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
    await page.getByText('Watched', { exact: true }).waitFor();
  });

  test('no page had an error or sent a request to another host', () => {
    // The pages of others, which the member opened on purpose.
    expect([...owner.errors, ...member.errors].filter((error) => !error.includes('Failed to load resource'))).toEqual(
      [],
    );
  });
});
