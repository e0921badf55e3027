import type { Brand, ConsoleBody, HomeSettings, TeamMemberDetail } from '@foreword/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Desk, findFaults, SIZES, SMALL_TARGETS } from './desk.ts';
import * as examples from './examples.ts';
import { type FakeConsole, Refusal } from './fake-console.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open();
});
afterAll(() => desk?.close());

const SETTINGS: HomeSettings = {
  first_name: 'Ana',
  last_name: 'Ng',
  email: 'ana@acme.example',
  title: null,
  phone: '+14155550123',
  photo_url: null,
  notify_by: 'text',
  words_per_minute: 150,
};

const MEMBER: TeamMemberDetail = {
  ...examples.MEMBER,
  first_name: 'Mara',
  last_name: 'Ode',
  email: 'mara@acme.example',
  phone: '+14155550177',
  title: 'estimator',
};

const BRAND: Brand = { ...examples.BRAND, license: 'CA 100' };

/** An answer that comes when the test lets it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

type Change = ConsoleBody<'POST /members/:id'>;

/** Keeps one member, as the real server does with what was read. */
function keepMember(server: FakeConsole, wait: () => Promise<void> = async () => {}) {
  const kept = { member: MEMBER, sent: [] as Change[] };
  server.answer('GET /members/:id', () => kept.member);
  server.answer('POST /members/:id', async ({ body }) => {
    const { was = {}, ...change } = body as Change;
    kept.sent.push(body as Change);
    await wait();
    const isOther = Object.entries(was).some(([field, value]) => {
      const now = kept.member[field as keyof TeamMemberDetail];
      return JSON.stringify(now) !== JSON.stringify(value);
    });
    if (isOther) return new Refusal(409, { code: 'edit_conflict', message: 'Somebody else changed this member.' });
    kept.member = { ...kept.member, ...(change as Partial<TeamMemberDetail>) };
    return kept.member;
  });
  return kept;
}

function keepSettings(server: FakeConsole, wait: () => Promise<void> = async () => {}) {
  const kept = { settings: SETTINGS, sent: [] as unknown[] };
  server.answer('GET /home/settings', () => kept.settings);
  server.answer('GET /sessions', { sessions: [] });
  server.answer('POST /home/settings', async ({ body }) => {
    kept.sent.push(body);
    await wait();
    kept.settings = { ...kept.settings, ...(body as Partial<HomeSettings>) };
    return kept.settings;
  });
  return kept;
}

const field = (page: Page, name: string) => page.getByRole('textbox', { name });
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).first();
const leaving = (page: Page) => page.getByRole('alertdialog', { name: 'Leave without saving?' });

async function openMember(prepare: (server: FakeConsole) => void, viewport: { width: number; height: number }) {
  const browser = { viewport, hasTouch: viewport.width < 800 };
  const visit = await desk.visit({ role: 'manager', path: `/members/${MEMBER.id}`, browser, prepare });
  await field(visit.page, 'Title').waitFor();
  return visit;
}

describe.concurrent('the settings of a member', () => {
  test('show what somebody else changed, and save what was touched and nothing else', async ({ expect }) => {
    let kept: ReturnType<typeof keepSettings> | undefined;
    const visit = await desk.visit({
      role: 'member',
      path: '/settings',
      prepare: (server) => {
        kept = keepSettings(server);
      },
    });
    const { page, server, complaints, close } = visit;
    const phone = page.getByLabel('Mobile number');
    await phone.waitFor();
    await expect.poll(() => server.listeners).toBe(1);
    if (kept === undefined) throw new Error('nothing was prepared');
    kept.settings = { ...SETTINGS, phone: '+14155559999' };
    server.tell('members');
    await expect.poll(() => phone.inputValue()).toBe('+1 (415) 555-9999');
    await page.getByRole('radio', { name: 'By both' }).check();
    await save(page).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(kept.sent).toEqual([{ notify_by: 'both' }]);
    expect(kept.settings.phone).toBe('+14155559999');
    expect(complaints).toEqual([]);
    await close();
  });

  test('keep what is typed while they are saved, and ask once before it is left', async ({ expect }) => {
    const { open, opened } = gate();
    const { page, close } = await desk.visit({
      role: 'member',
      path: '/settings',
      prepare: (server) => void keepSettings(server, () => opened),
    });
    const phone = page.getByLabel('Mobile number');
    await phone.fill('+14155550124');
    await save(page).click();
    await phone.fill('+14155550125');
    await page.getByRole('slider').press('ArrowLeft');
    open();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await phone.inputValue()).toBe('+14155550125');
    expect(await page.getByRole('slider').inputValue()).toBe('140');
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await leaving(page).waitFor();
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.waitForURL('**/console/home');
    await close();
  });

  test('are left without a question once they are saved', async ({ expect }) => {
    const { page, close } = await desk.visit({
      role: 'member',
      path: '/settings',
      prepare: (server) => void keepSettings(server),
    });
    await page.getByLabel('Mobile number').fill('+14155550124');
    await save(page).click();
    await expect.poll(() => page.getByLabel('Mobile number').inputValue()).toBe('+1 (415) 555-0124');
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await page.waitForURL('**/console/home');
    await close();
  });
});

describe.concurrent('an intro that a member begins', () => {
  const MOMENTS = {
    touchpoints: [
      { slug: 'hello', name: 'Hello', context: 'none', lane: null, delivery: 'service' } as const,
      { slug: 'thanks', name: 'Thanks', context: 'none', lane: null, delivery: 'service' } as const,
    ],
    timezone: 'America/Chicago',
  };

  test('is asked about before what was typed is left, and not once it is begun', async ({ expect }) => {
    const { page, close } = await desk.visit({
      role: 'member',
      path: '/home/new',
      prepare(server) {
        server.answer('GET /home/touchpoints', MOMENTS);
        const begun = { id: 'evt_1', status: 'processed', intro_id: 'int_1', record_url: null, problem: null } as const;
        server.answer('POST /home/intros', begun);
        server.answer('GET /home/events/:id', begun);
      },
    });
    await page.getByLabel('First name').fill('Dana');
    const home = page.getByRole('navigation').getByRole('link', { name: 'Home', exact: true });
    await home.click();
    await leaving(page).waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stay here' }).click();
    expect(await page.getByLabel('First name').inputValue()).toBe('Dana');
    await page.getByLabel('What is it about?').selectOption('hello');
    await page.getByLabel('Mobile number').fill('+14155550123');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This intro was reassigned to another team member.').waitFor();
    await home.click();
    await page.waitForURL('**/console/home');
    await close();
  });
});

describe.concurrent('the brand', () => {
  test('keeps what is typed while it is saved, and has the rest as it was saved', async ({ expect }) => {
    const { open, opened } = gate();
    const { page, close } = await desk.visit({
      role: 'manager',
      path: '/brand',
      prepare(server) {
        server.answer('GET /brand', BRAND);
        server.answer('POST /brand/preview', new Refusal(422, { code: 'validation_failed', message: 'No preview.' }));
        server.answer('POST /brand', async ({ body }) => {
          await opened;
          const draft = body as Brand;
          return { ...BRAND, ...draft, license: draft.license?.trim(), version: draft.version + 1 };
        });
      },
    });
    await field(page, 'Name').fill('Acme & Sons');
    await field(page, 'License number').fill(' CA 200 ');
    await save(page).click();
    await field(page, 'Name').fill('Acme & Daughters');
    open();
    await page.getByText('Brand saved').waitFor();
    expect(await field(page, 'Name').inputValue()).toBe('Acme & Daughters');
    expect(await field(page, 'License number').inputValue()).toBe('CA 200');
    expect(await save(page).isEnabled()).toBe(true);
    await page.getByRole('link', { name: 'Members', exact: true }).click();
    await leaving(page).waitFor();
    await close();
  });
});

describe.concurrent('the details of a member', () => {
  test('keep what is typed while they are saved, and ask before it is left even then', async ({ expect }) => {
    const { open, opened } = gate();
    let kept = { member: MEMBER, sent: [] as Change[] };
    const { page, close } = await openMember((server) => {
      kept = keepMember(server, () => opened);
    }, SIZES.desk);
    await field(page, 'Title').fill('foreman');
    await save(page).click();
    await field(page, 'Title').fill('foreman of two');
    await field(page, 'First name').fill('Maria');
    await page.getByRole('link', { name: 'Brand', exact: true }).click();
    await leaving(page).waitFor();
    await page.getByRole('button', { name: 'Stay here' }).click();
    open();
    await page.getByText('Member saved').waitFor();
    expect(await field(page, 'Title').inputValue()).toBe('foreman of two');
    expect(await field(page, 'First name').inputValue()).toBe('Maria');
    await save(page).click();
    await expect.poll(() => kept.member).toMatchObject({ title: 'foreman of two', first_name: 'Maria' });
    expect(kept.sent).toEqual([
      { title: 'foreman', was: { title: 'estimator' } },
      { title: 'foreman of two', first_name: 'Maria', was: { title: 'foreman', first_name: 'Mara' } },
    ]);
    await close();
  });

  test.each(Object.entries(SIZES))(
    'show what two changed beside each other, at %s, and save what is chosen by the keyboard',
    async (_size, viewport) => {
      let kept = { member: MEMBER, sent: [] as Change[] };
      const { page, complaints, close } = await openMember((server) => {
        kept = keepMember(server);
      }, viewport);
      await field(page, 'Title').fill('foreman');
      await page.getByLabel('Mobile phone').fill('(415) 555-0180');
      kept.member = { ...MEMBER, title: 'painter', last_name: 'Odell' };
      await save(page).click();
      const conflict = page.getByRole('alert').filter({ hasText: 'Someone else changed this member' });
      await conflict.waitFor();
      expect(kept.member).toMatchObject({ title: 'painter', phone: MEMBER.phone });
      expect(await conflict.getByRole('definition').allTextContents()).toEqual(['painter', 'foreman']);
      expect(await field(page, 'Last name').inputValue()).toBe('Odell');
      expect(await findFaults(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
      if (viewport.width < 800) expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
      await page.getByRole('button', { name: 'Keep mine' }).focus();
      await page.keyboard.press('Enter');
      await conflict.waitFor({ state: 'hidden' });
      await save(page).press('Enter');
      await page.getByText('Member saved').waitFor();
      expect(kept.member).toMatchObject({ title: 'foreman', phone: '+14155550180', last_name: 'Odell' });
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('say at once that somebody changes the same, and give way to it without losing the rest', async ({ expect }) => {
    let kept = { member: MEMBER, sent: [] as Change[] };
    const { page, server, close } = await openMember((fake) => {
      kept = keepMember(fake);
    }, SIZES.desk);
    await expect.poll(() => server.listeners).toBe(1);
    await field(page, 'Title').fill('foreman');
    await field(page, 'First name').fill('Maria');
    kept.member = { ...MEMBER, title: 'painter' };
    server.tell('members');
    await page.getByRole('button', { name: 'Use theirs' }).click();
    expect(await field(page, 'Title').inputValue()).toBe('painter');
    await save(page).click();
    await page.getByText('Member saved').waitFor();
    expect(kept.sent).toEqual([{ first_name: 'Maria', was: { first_name: 'Mara' } }]);
    await close();
  });

  test('are saved when the answer to an earlier try was lost', async ({ expect }) => {
    let kept = { member: MEMBER, sent: [] as Change[] };
    const { page, close } = await openMember((server) => {
      kept = keepMember(server);
    }, SIZES.desk);
    await field(page, 'Title').fill('foreman ');
    kept.member = { ...MEMBER, title: 'foreman' };
    await save(page).click();
    await page.getByText('Member saved').waitFor();
    expect(await field(page, 'Title').inputValue()).toBe('foreman');
    expect(kept.sent).toHaveLength(1);
    await close();
  });
});
