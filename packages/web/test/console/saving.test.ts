import type { Page } from 'playwright-core';
import { describe } from 'vitest';
import { findViolations } from '../../../server/test/browser/accessibility.ts';
import { MEMBER, SETTINGS, serveMember, serveSettings } from './editable-data.ts';
import { type FakeConsole, Refusal } from './fake-console.ts';
import { expectFits, SIZES, SMALL_TARGETS, test, type Visiting } from './test-console.ts';

/** A promise that the test resolves. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

type Size = (typeof SIZES)['phone' | 'desktop'];

/** Not the title in Spanish. */
const TITLE = /^Title optional$/;
const field = (page: Page, name: string | RegExp) => page.getByRole('textbox', { name });
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).first();
const leaving = (page: Page) => page.getByRole('alertdialog', { name: 'Leave without saving?' });

async function openMember(
  visit: Visiting,
  { wait, viewport = SIZES.desktop }: { wait?: Promise<void>; viewport?: Size } = {},
) {
  const browser = { viewport, hasTouch: viewport.width < 800 };
  const prepare = (server: FakeConsole) => serveMember(server, async () => wait);
  const opened = await visit({ role: 'manager', path: `/members/${MEMBER.id}`, browser, prepare });
  await field(opened.page, TITLE).waitFor();
  return { ...opened, stored: opened.prepared };
}

describe.concurrent('the settings page', () => {
  test('shows changes made elsewhere, and saves only the changed fields', async ({ expect, visit }) => {
    const settings = {
      role: 'member',
      path: '/account',
      prepare: (fake: FakeConsole) => serveSettings(fake),
    } as const;
    const { page, server, prepared: stored } = await visit(settings);
    const phone = page.getByLabel('Mobile number');
    await phone.waitFor();
    await expect.poll(() => server.listeners).toBe(1);
    stored.settings = { ...SETTINGS, phone: '+14155559999' };
    server.publish('members');
    await expect.poll(() => phone.inputValue()).toBe('(415) 555-9999');
    await page.getByRole('radio', { name: 'By both' }).check();
    await save(page).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(stored.sent).toEqual([{ notify_by: 'both' }]);
    expect(stored.settings.phone).toBe('+14155559999');
  });
});

describe.concurrent('starting an intro', () => {
  const TOUCHPOINTS = {
    touchpoints: [
      { slug: 'hello', name: 'Hello', context: 'none', lane: null, delivery: 'service' } as const,
      { slug: 'thanks', name: 'Thanks', context: 'none', lane: null, delivery: 'service' } as const,
    ],
    timezone: 'America/Chicago',
    own_phone: '+14155550177',
  };

  test('asks before leaving with unsaved input, and not once the intro is started', async ({ expect, visit }) => {
    const { page } = await visit({
      role: 'member',
      path: '/intros/new?to=me',
      prepare(server) {
        server.answer('GET /home/touchpoints', TOUCHPOINTS);
        const event = { id: 'evt_1', status: 'processed', intro_id: 'int_1', record_url: null, problem: null } as const;
        server.answer('POST /home/intros', event);
        server.answer('GET /home/events/{id}', event);
      },
    });
    const label = (name: string) => page.getByLabel(name).inputValue();
    await page.getByLabel('First name').waitFor();
    expect([await label('First name'), await label('Last name'), await label('Mobile number')]).toEqual([
      ...['Ana', 'Ng', '+14155550177'],
    ]);
    await page.getByLabel('First name').fill('Dana');
    const home = page.getByRole('navigation').getByRole('link', { name: 'My intros', exact: true });
    await home.click();
    await leaving(page).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stay here' }).click();
    expect(await page.getByLabel('First name').inputValue()).toBe('Dana');
    await page.getByLabel('What is it about?').selectOption('hello');
    await page.getByLabel('Mobile number').fill('+14155550123');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This intro was reassigned to another team member').waitFor();
    await home.click();
    await page.waitForURL('**/console/home');
  });
});

test('a new intro says why its member cannot record it', async ({ visit }) => {
  const message = 'member must be an active member of this organization.';
  const { page } = await visit({
    path: '/intros/new?to=me',
    prepare(server) {
      server.answer('GET /members', { members: [], next: null, counts: null });
      server.answer('GET /home/touchpoints', {
        touchpoints: [{ slug: 'hello', name: 'Hello', context: 'none', lane: null, delivery: 'service' }],
        ...{ timezone: 'America/Chicago', own_phone: '+14155550177' },
      });
      server.answer('POST /home/intros', new Refusal(422, { code: 'validation_failed', message, field: 'member' }));
    },
  });
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText(message).waitFor();
});

test('a dialog asks before Back loses what was typed, and not once it is sent', async ({ expect, visit }) => {
  const prepare = (server: FakeConsole) => {
    server.answer('GET /members', { members: [], next: null, counts: { found: 0, shared_emails: 0 } });
    server.answer('GET /members/{id}', MEMBER);
    server.answer('POST /members', MEMBER);
  };
  const { page } = await visit({ prepare });
  await page.getByRole('link', { name: 'Members' }).first().click();
  await page.getByRole('button', { name: 'Add member' }).first().click();
  await field(page, 'First name').fill('Lou');
  await page.evaluate('history.back()');
  await leaving(page).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Stay here' }).click();
  await leaving(page).waitFor({ state: 'hidden' });
  expect(await field(page, 'First name').inputValue()).toBe('Lou');
  await field(page, 'Last name').fill('Ost');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Email' }).fill('lou@acme.example');
  await page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click();
  await page.waitForURL(`**/members/${MEMBER.id}`);
  expect(await leaving(page).count()).toBe(0);
});

describe.concurrent('the member form', () => {
  test('keeps what is typed during a save, and still asks before leaving', async ({ expect, visit }) => {
    const { open, opened } = gate();
    const { page, stored } = await openMember(visit, { wait: opened });
    await field(page, TITLE).fill('foreman');
    await save(page).click();
    await field(page, TITLE).fill('foreman of two');
    await field(page, 'First name').fill('Maria');
    await page.getByRole('link', { name: 'Organization', exact: true }).click();
    await leaving(page).waitFor();
    await page.getByRole('button', { name: 'Stay here' }).click();
    open();
    await page.getByText('Member saved').waitFor();
    expect(await field(page, TITLE).inputValue()).toBe('foreman of two');
    expect(await field(page, 'First name').inputValue()).toBe('Maria');
    await save(page).click();
    await expect.poll(() => stored.member).toMatchObject({ title: 'foreman of two', first_name: 'Maria' });
    expect(stored.sent).toEqual([
      { title: 'foreman', was: { title: 'estimator' } },
      { title: 'foreman of two', first_name: 'Maria', was: { title: 'foreman', first_name: 'Mara' } },
    ]);
    await field(page, TITLE).fill('foreman of three');
    await page.getByRole('link', { name: 'Organization', exact: true }).click();
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.waitForURL('**/organization/brand');
  });

  test('shows both values of a conflict, and saves the one chosen by keyboard', async ({ expect, visit }) => {
    const { page, stored } = await openMember(visit, { viewport: SIZES.phone });
    await field(page, TITLE).fill('foreman');
    await page.getByLabel('Mobile phone').fill('(415) 555-0180');
    stored.member = { ...MEMBER, title: 'painter', last_name: 'Odell' };
    await save(page).click();
    const conflict = page.getByRole('alert').filter({ hasText: 'Someone else changed this member' });
    await conflict.waitFor();
    expect(stored.member).toMatchObject({ title: 'painter', phone: MEMBER.phone });
    expect(await conflict.getByRole('definition').allTextContents()).toEqual(['painter', 'foreman']);
    expect(await field(page, 'Last name').inputValue()).toBe('Odell');
    expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
    await expectFits(page);
    await page.getByRole('button', { name: 'Keep mine' }).focus();
    await page.keyboard.press('Enter');
    await conflict.waitFor({ state: 'hidden' });
    await save(page).press('Enter');
    await page.getByText('Member saved').waitFor();
    expect(stored.member).toMatchObject({ title: 'foreman', phone: '+14155550180', last_name: 'Odell' });
  });

  test('reports a conflict at once, and "Use theirs" loses no other change', async ({ expect, visit }) => {
    const { page, server, stored } = await openMember(visit);
    await expect.poll(() => server.listeners).toBe(1);
    await field(page, TITLE).fill('foreman');
    await field(page, 'First name').fill('Maria');
    stored.member = { ...MEMBER, title: 'painter' };
    server.publish('members');
    await page.getByRole('button', { name: 'Use theirs' }).click();
    expect(await field(page, TITLE).inputValue()).toBe('painter');
    await save(page).click();
    await page.getByText('Member saved').waitFor();
    expect(stored.sent).toEqual([{ first_name: 'Maria', was: { first_name: 'Mara' } }]);
    // Everything is saved, so the page does not ask.
    await page.getByRole('link', { name: 'Organization', exact: true }).click();
    await page.waitForURL('**/organization/brand');
  });
});
