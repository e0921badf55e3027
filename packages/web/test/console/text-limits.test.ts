import type { ConsoleOutboxMessage, ConsoleTextLimits, ConsoleTextRegistration } from '@foreword/contract';
import { describe } from 'vitest';
import { BRAND } from './examples.ts';
import { type FakeConsole, Refusal } from './fake-console.ts';
import { serveOverview } from './overview-data.ts';
import { expectFits, SIZES, SMALL_TARGETS, test } from './test-console.ts';

const LIMITS: ConsoleTextLimits = {
  countries: ['CA', 'US'],
  default_countries: ['US'],
  has_own_countries: true,
  known_countries: ['CA', 'GB', 'GS', 'MX', 'US'],
  forwards_replies: false,
  limits: { organization: 1_000, member: 200, recipient: 5 },
  texts_today: 312,
  busiest_members: [
    { id: 'mem_1', first_name: 'Ana', last_name: 'Ng', texts: 48 },
    { id: 'mem_2', first_name: 'Maximiliane', last_name: 'Featherstonehaugh-Cholmondeley', texts: 31 },
  ],
  day_ends_at: '2031-03-11T05:00:00.000Z',
  paused: null,
  account: { faults: [], held_texts: 0, is_own: false },
};
const PAUSED = { ...LIMITS, paused: { at: '2026-03-10T19:15:00.000Z', reason: 'burst' } } as const;

const FAULTY: ConsoleTextLimits = {
  ...PAUSED,
  account: {
    faults: [
      {
        fault: 'unregistered',
        since: '2026-03-10T19:15:00.000Z',
        message: 'The carrier accepted the message but could not deliver it. (Twilio 30034)',
        is_held: true,
      },
      {
        fault: 'country_off',
        since: '2026-03-10T18:00:00.000Z',
        message: 'Twilio 21408: no permission',
        is_held: false,
      },
    ],
    held_texts: 12,
    is_own: false,
  },
};

const NOON = '2026-03-10T17:00:00.000Z';

const REGISTRATION: ConsoleTextRegistration = {
  registration: {
    status: 'missing',
    message: 'The brand is in review. The messaging service has no A2P 10DLC campaign.',
    next: 'Register a brand and a campaign in the Twilio console (Messaging, Regulatory Compliance), and add the number to its messaging service.',
  },
  is_own: false,
};

/** Keeps what the page saves. */
function serve(server: FakeConsole, start: ConsoleTextLimits): { now: ConsoleTextLimits } {
  const stored = { now: start };
  server.answer('GET /text-limits', () => stored.now);
  server.answer('GET /brand', BRAND);
  server.answer('GET /v1/link-domains', { object: 'list', data: [], has_more: false });
  server.answer('GET /text-limits/registration', REGISTRATION);
  server.answer('POST /text-limits', ({ body }) => {
    stored.now = { ...stored.now, ...(body as Partial<ConsoleTextLimits>) };
    return stored.now;
  });
  server.answer('POST /text-limits/resume', () => {
    stored.now = { ...stored.now, paused: null };
    return stored.now;
  });
  return stored;
}

const PATH = '/organization/texting';

/** Logged, and not sent, before a provider was connected. */
const LOGGED: ConsoleOutboxMessage = {
  ...{ id: 'msg_1', intro_id: 'int_1', audience: 'recipient', purpose: 'deliver', channel: 'text', status: 'accepted' },
  ...{ carrier: 'log', address: '+14155550123', subject: null, body: 'Hi Dana', segments: 1, error: null },
  ...{ due_at: NOON, accepted_at: NOON, held_for: null, held_by_state: null },
  to: { first_name: 'Dana', last_name: null },
};

describe.concurrent('text limits', () => {
  test('are accessible and fit a phone and a desktop in both modes', async ({ expect, visit }) => {
    const { page } = await visit({
      path: PATH,
      browser: { viewport: SIZES.phone, hasTouch: true },
      prepare: (server) => void serve(server, FAULTY),
    });
    await page.getByRole('heading', { name: 'Countries' }).waitFor();
    await page.getByText('Texts are paused').waitFor();
    await page.getByText('Your number isn’t registered for business texts').waitFor();
    await page.getByText('12 texts to recipients wait, and are sent automatically').waitFor();
    await page.getByText('Your administrator can fix this account.').first().waitFor();
    await page.getByRole('region', { name: 'Registration' }).getByText('Not registered').waitFor();
    expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
    await expectFits(page);
  });

  test('an owner changes countries and replies, and a failed save changes nothing', async ({ expect, visit }) => {
    const { page, server, prepared: stored } = await visit({ path: PATH, prepare: (fake) => serve(fake, LIMITS) });
    await page.getByRole('combobox', { name: 'Add a country' }).click();
    await page.getByRole('combobox', { name: 'Search countries' }).fill('king');
    await page.getByRole('option', { name: 'United Kingdom' }).click();
    await page.getByText('Texts to United Kingdom are on').waitFor();
    expect(stored.now.countries).toEqual(['CA', 'US', 'GB']);
    await page.getByRole('button', { name: 'Remove Canada' }).click();
    await page.getByText('Texts to Canada are off').waitFor();
    expect(stored.now.countries).toEqual(['US', 'GB']);
    const answers = page.getByRole('switch', { name: 'Members answer by text, without seeing the number' });
    expect(await answers.isChecked()).toBe(false);
    await answers.focus();
    await page.keyboard.press('Space');
    await page.getByText('Members answer replies by text', { exact: true }).waitFor();
    expect(stored.now.forwards_replies).toBe(true);
    expect(await answers.isChecked()).toBe(true);
    await answers.click();
    await page.getByText('Members get the recipient’s number', { exact: true }).waitFor();
    expect(stored.now.forwards_replies).toBe(false);

    server.answer('POST /text-limits', new Refusal(503, { code: 'unavailable', message: 'The server is busy.' }));
    await page.getByRole('button', { name: 'Remove United Kingdom' }).click();
    await page.getByText('The server is busy.').waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'United Kingdom' }).count()).toBe(1);
  });

  test('an owner resumes paused texts, after a dialog that a click outside keeps open', async ({ expect, visit }) => {
    const { page, server, prepared: stored } = await visit({ path: PATH, prepare: (fake) => serve(fake, LIMITS) });
    await page.getByText('312 of 1,000 texts').waitFor();
    await expect.poll(() => server.listeners).toBe(1);
    stored.now = PAUSED;
    server.publish('organization');
    await page.getByRole('button', { name: 'Resume texts' }).click();
    const question = page.getByRole('alertdialog');
    await question.waitFor();
    await page.mouse.click(5, 5);
    await question.getByRole('button', { name: 'Resume texts' }).click();
    await page.getByText('Texts are resumed').waitFor();
    expect(stored.now.paused).toBeNull();
    await page.getByText('Texts are paused').waitFor({ state: 'hidden' });
  });

  test('the registration of the number is shown, and can be read again after a failure', async ({ expect, visit }) => {
    const { page, server } = await visit({
      path: PATH,
      prepare: (fake) => {
        serve(fake, LIMITS);
        fake.answer('GET /text-limits/registration', new Refusal(503, { code: 'unavailable', message: 'Busy.' }));
      },
    });
    const card = page.getByRole('region', { name: 'Registration' });
    await card.getByText('Busy.').waitFor();
    expect(await page.getByText('312 of 1,000 texts').count()).toBe(1);
    server.answer('GET /text-limits/registration', { ...REGISTRATION, is_own: true });
    await card.getByRole('button', { name: 'Try again' }).click();
    await card.getByText('Not registered').waitFor();
    await card.getByText('How to register').waitFor();
    expect(await card.getByText('Your administrator can fix this account.').count()).toBe(0);
    const verified = { status: 'registered' as const, message: 'The toll-free number is verified.', next: null };
    server.answer('GET /text-limits/registration', { registration: verified, is_own: true });
    await page.reload();
    await card.getByText('Registered', { exact: true }).waitFor();
    await card.getByText(verified.message).waitFor();
    server.answer('GET /text-limits/registration', { registration: null, is_own: false });
    await page.reload();
    await card.getByText('Nothing to do').waitFor();
    await card.getByText('needs no registration').waitFor();
  });

  test('a file of opt-outs that Windows saved as Unicode is imported', async ({ expect, visit }) => {
    const sent: unknown[] = [];
    const { page } = await visit({
      path: PATH,
      prepare(server) {
        serve(server, LIMITS);
        server.answer('POST /consent/import', ({ body }) => {
          sent.push(body);
          return { added: 1, already: 0, problems: [] };
        });
      },
    });
    const text = 'phone\treason\r\n+14155550123\tMuñoz\r\n';
    const file = { name: 'opt-outs.txt', mimeType: 'text/plain', buffer: Buffer.from(`\uFEFF${text}`, 'utf16le') };
    await page.getByLabel('Choose file').setInputFiles(file);
    await page.getByText('1 opted out').waitFor();
    expect(sent).toEqual([{ text }]);
  });

  test('a manager sees the limits, and changes nothing', async ({ expect, visit }) => {
    const { page } = await visit({ role: 'manager', path: PATH, prepare: (server) => void serve(server, PAUSED) });
    await page.getByText('An owner can resume them.').waitFor();
    await page.getByText('Members get the recipient’s number with each reply.').waitFor();
    // It imports opt-outs.
    await page.getByRole('main').getByRole('button', { name: 'Choose file' }).waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(1);
    expect(await page.getByRole('switch').count()).toBe(0);
  });
});

test('messages appear together with the notice that texts are paused, and without a warning about a provider of the past', async ({
  expect,
  visit,
}) => {
  const { page } = await visit({
    path: '/messages?status=any',
    prepare(server) {
      serve(server, PAUSED);
      server.answer('GET /messages', { rows: [LOGGED], next: null });
      server.answer('GET /overview/attention', { items: [], has_more: false });
    },
  });
  await page.getByText('To recipients', { exact: true }).waitFor();
  expect(await page.getByText('Texts are paused').count()).toBe(1);
  await page.getByText('Hi Dana').waitFor();
  expect(await page.getByText('No text provider is connected').count()).toBe(0);
});

test('the overview says that texts are paused, and not that nothing needs attention', async ({ expect, visit }) => {
  const { page } = await visit({
    path: '/overview',
    prepare(server) {
      serveOverview(server);
      serve(server, PAUSED);
      server.answer('GET /overview/attention', { items: [], has_more: false });
    },
  });
  await page.getByText('Texts are paused').waitFor();
  await page.getByRole('heading', { name: 'Results' }).waitFor();
  expect(await page.getByText('Nothing needs your attention.').count()).toBe(0);
});
