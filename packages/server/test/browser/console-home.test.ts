import type { BrowserContextOptions } from 'playwright-core';
import { expect, test } from 'vitest';
import { APPOINTMENT, createIntro, eventually } from '../acceptance/support/actions.ts';
import { openService } from '../acceptance/support/service.ts';
import { makePng } from '../cli/picture-maker.ts';
import { forFile } from '../harness/index.ts';
import { openChromium } from './chromium.ts';
import { signIn } from './console-browser.ts';
import { DESKTOP, openTestPage, PHONE, type TestPage } from './console-test-page.ts';
import { button, expectAccessible, untilHeading } from './page-actions.ts';

const fixture = await forFile(openService());
const browser = await forFile(openChromium());

/** Opens a page as Ana, signed in with an administrator's link. */
async function open(path: string, options: BrowserContextOptions = PHONE, mayFail: number[] = []): Promise<TestPage> {
  const opened = await openTestPage(browser, options, mayFail);
  const link = await fixture.run('signin', '--org', fixture.organization.id, '--email', 'ana@acme.example');
  await signIn(opened.page, fixture.service.url, link.url);
  await opened.page.goto(fixture.service.url + path);
  return opened;
}

test('a member sees the intros to record, the most urgent first, and one tap opens the recorder', async () => {
  await createIntro(fixture.api, {
    recipient: { first_name: 'Far', phone: '+14155550124' },
    context: { appointment: APPOINTMENT },
  });
  await createIntro(fixture.api, { recipient: { first_name: 'Near', phone: '+14155550125' } });
  const { id } = await createIntro(fixture.api, { recipient: { first_name: 'Seen', phone: '+14155550126' } });
  await fixture.database
    .sql`update intros set status = 'sent', recorded_at = now(), sent_at = now(), opened_at = now(), watched_percent = 75
     where id = ${id}`;
  const { page } = await open('/console/home');
  await untilHeading(page, 'My intros');
  const tasks = page.locator('.task');
  await eventually(async () => (await tasks.count()) === 2);
  expect(await tasks.first().textContent()).toContain('Near');
  const far = (await tasks.nth(1).textContent()) ?? '';
  expect(far.replaceAll(/\s/g, ' ')).toMatch(/Appointment Wed, Mar 12, 2031, 2:30 PM CDT \(in \d+ months\)/);
  // An appointment is also the deadline, so the deadline appears only without one.
  expect(far).not.toContain('until');
  expect(await tasks.first().textContent()).toMatch(/Record by \w{3}, \w{3} \d+, .*\((?:in \d+ days|tomorrow)\)/);
  expect(await page.locator('.list').textContent()).toContain('Watched 75%');
  await expectAccessible(page);
  // A new intro appears while the page is open.
  await createIntro(fixture.api, { recipient: { first_name: 'Newly', phone: '+14155550127' } });
  await page.getByText('Newly').waitFor();
  await tasks.first().tap();
  await page.waitForURL(/\/r\//);
  await page.getByText('Near').first().waitFor();
});

test('a member starts an intro with only the keyboard, for a number in the national format, and lands in the recorder', async () => {
  const { id } = fixture.organization;
  await fixture.run('touchpoint', 'set', '--org', id, 'new_appointment', '--delivery', 'integration');
  const { page, close } = await open('/console/intros/new', DESKTOP);
  await untilHeading(page, 'New intro');
  await page.getByLabel('What is it about?').focus();
  await page.keyboard.type('New app');
  await expectAccessible(page);
  const press = async () => {
    await button(page, 'Continue').focus();
    await page.keyboard.press('Enter');
  };
  await press();
  await page.getByText('This field is required.').first().waitFor();
  await page.getByLabel('First name').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('Dana');
  await page.getByLabel('Mobile number').focus();
  await page.keyboard.type('555 0123');
  await page.getByLabel('When is the appointment?').fill('2031-07-04T09:15');
  await press();
  await page.getByText('Enter a whole number.').waitFor();
  await page.getByLabel('Mobile number').and(page.locator(':focus')).waitFor();
  await expectAccessible(page);
  await page.getByLabel('Mobile number').fill('415 555 0123');
  await press();
  await page.waitForURL(/\/r\//);
  const [row] = await fixture.database.query<{ phone: string; at: Date }>(
    `select recipient_phone as phone, expires_at as at from intros where recipient_first_name = 'Dana' order by id desc limit 1`,
  );
  expect([row?.phone, row?.at.toISOString()]).toEqual(['+14155550123', '2031-07-04T14:15:00.000Z']);
  // The incomplete number.
  await close(422);
});

test('a recipient can be chosen from the contacts of the phone', async () => {
  const { page } = await open('/console/home');
  await page.addInitScript(`Object.defineProperty(navigator, 'contacts', {
    value: { select: async () => [{ name: ['Mei Lin Tan'], tel: ['+1 (415) 555-0177'] }] },
  })`);
  await page.goto(`${fixture.service.url}/console/intros/new`);
  await untilHeading(page, 'New intro');
  await button(page, 'Choose from contacts').tap();
  await page.waitForFunction(`document.querySelector('input[type=tel]').value !== ''`);
  const filled = ['First name', 'Last name', 'Mobile number'].map((label) => page.getByLabel(label).inputValue());
  expect(await Promise.all(filled)).toEqual(['Mei', 'Lin Tan', '+1 (415) 555-0177']);
  await expectAccessible(page);
});

test('a member changes notifications, pace and photo, and signs out another device', async () => {
  // A request in the background may get a 401 before the reload.
  const other = await open('/console/home', PHONE, [401]);
  const { page } = await open('/console/account');
  await untilHeading(page, 'Account');
  await page.getByRole('radio', { name: 'By both' }).check();
  await page.getByLabel('Mobile number').fill('+1 415 555 0142');
  await button(page, 'Save').click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await button(page, 'Save').waitFor({ state: 'detached' });
  const pace = page.getByRole('slider', { name: 'Words per minute' });
  await pace.focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await button(page, 'Save').click();
  await button(page, 'Save').waitFor({ state: 'detached' });
  const picture = makePng({ width: 2400, height: 1200 }, [44, 102, 82], [250, 248, 244]);
  await page.getByLabel('Choose a picture').setInputFiles({ name: 'ana.png', mimeType: 'image/png', buffer: picture });
  await page.locator('main .avatar img').waitFor();
  await expectAccessible(page);
  await button(page, /^Sign out of/)
    .first()
    .click();
  await page.getByText(/^Signed out of/).waitFor();
  const [row] = await fixture.database.sql`select notify_by, phone, words_per_minute, photo is not null as has_photo
    from members where id = ${fixture.organization.memberId}`;
  expect(row).toEqual({ notify_by: 'both', phone: '+14155550142', words_per_minute: 130, has_photo: true });
  await other.page.reload();
  await other.page.waitForURL(/\/console\/signin/);
  await untilHeading(other.page, 'Sign in');
  await button(page, 'Menu').click();
  await button(page, 'Sign out').click();
  await untilHeading(page, 'Sign in');
  await expectAccessible(page);
});
