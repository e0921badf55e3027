import { afterEach, describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { NOW, openPages, type PageIntro, type PageSetup } from './page-fixture.ts';

const fixture = await forFile(openPages());

const get = async (path: string) => (await fetch(fixture.url + path)).text();
const post = (intro: PageIntro, form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${fixture.url}${intro.path}/reply`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(form),
    headers,
  });
const CONFIRM = { reply: 'confirm' };

/** Everything that a reply stores: replies, messages to the member, and webhooks. */
async function traces({ id, organizationId }: PageIntro) {
  const replies = await fixture.database.sql`select number, type, label, message from intro_replies
    where intro_id = ${id} order by number`;
  const messages = await fixture.database.sql`select audience, purpose, round, status from all_messages
    where intro_id = ${id} order by round`;
  const webhooks = await fixture.database.sql`select type from webhook_messages
    where organization_id = ${organizationId}`;
  return { replies, messages, webhooks: webhooks.map(({ type }) => type) };
}

describe('replying on the page', () => {
  test('stores the reply, opens the page, and enqueues one message to the member', async () => {
    const intro = await fixture.createIntro();
    const response = await post(intro, CONFIRM);
    expect([response.status, response.headers.get('location')]).toEqual([303, `${intro.path}#reply`]);
    expect(await fixture.intro(intro.id)).toMatchObject({ status: 'sent', opened_at: NOW, version: 3 });
    expect(await traces(intro)).toMatchObject({
      replies: [{ number: 1, type: 'confirm', label: 'See you then', message: null }],
      messages: [{ audience: 'member', purpose: 'reply', round: 1, status: 'scheduled' }],
    });
  });

  test('shows nothing of a reply to the text', async () => {
    const intro = await fixture.createIntro();
    await post(intro, CONFIRM);
    await fixture.database
      .sql`insert into intro_replies (organization_id, environment, intro_id, number, type, label, message, by_text, created_at)
       values (${intro.organizationId}, 'test', ${intro.id}, 2, 'message', 'Text message', 'From my phone', true, now())`;
    const html = await get(intro.path);
    expect(html).toContain('See you then');
    expect(html).not.toMatch(/Text message|From my phone/);
  });

  test('counts the same reply once, even when tapped ten times at once, and a different one again', async () => {
    const intro = await fixture.createIntro();
    const responses = await Promise.all(Array.from({ length: 10 }, () => post(intro, CONFIRM)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([303]));
    expect((await traces(intro)).messages).toHaveLength(1);
    await post(intro, { reply: 'reschedule' });
    await post(intro, CONFIRM);
    const { replies, messages } = await traces(intro);
    expect(replies.map(({ type }) => type)).toEqual(['confirm', 'reschedule', 'confirm']);
    expect(messages).toHaveLength(3);
  });

  test("uses the organization's words, and keeps those that the recipient saw", async () => {
    const intro = await fixture.createIntro({ organization: { reply_confirm: 'Great & thanks' } });
    expect(await get(intro.path)).toContain('Great &amp; thanks');
    await post(intro, CONFIRM);
    await fixture.database.sql`update organizations set reply_confirm = null where id = ${intro.organizationId}`;
    expect(await get(intro.path)).toContain('“Great &amp; thanks”');
  });

  test('offers thanks instead of a confirmation without an appointment', async () => {
    const html = await get((await fixture.createIntro({ context: null })).path);
    expect(html).toContain('value="thanks"');
    expect(html).not.toContain('value="confirm"');
  });

  test('a question keeps its lines, and an empty or long one is explained and not stored', async () => {
    const intro = await fixture.createIntro();
    for (const message of ['', ' \n', 'a'.repeat(501)]) {
      const response = await post(intro, { reply: 'question', message });
      expect(response.status).toBe(422);
      expect(await response.text()).toContain(`href="${intro.path}#reply"`);
    }
    expect((await traces(intro)).replies).toEqual([]);
    await post(intro, { reply: 'question', message: ' Attic?\r\nOr\u0007 not? ' });
    expect((await traces(intro)).replies).toMatchObject([{ type: 'question', message: 'Attic?\nOr  not?' }]);
  });

  test('another time may come with a note when, and a long one is explained and not stored', async () => {
    const intro = await fixture.createIntro();
    const page = await get(intro.path);
    expect(page).toContain('When would suit you? (optional)');
    expect(page).toContain('maxlength="200"');
    const long = await post(intro, { reply: 'reschedule', message: 'a'.repeat(201) });
    expect([long.status, await long.text()]).toEqual([422, expect.stringContaining('200 characters')]);
    await post(intro, { reply: 'reschedule', message: ' <b>Friday</b>\r\nafter 3\u0000 ' });
    await post(intro, { reply: 'reschedule', message: ' \n' });
    await post(intro, { reply: 'reschedule' });
    expect((await traces(intro)).replies).toMatchObject([
      { type: 'reschedule', message: '<b>Friday</b>\nafter 3' },
      { type: 'reschedule', message: null },
    ]);
    expect(await get(intro.path)).not.toContain('Friday');
  });

  test('an unknown reply leads back to the page, and stores nothing', async () => {
    const intro = await fixture.createIntro();
    for (const form of [{}, { reply: 'other' }, { reply: 'question%00' }]) {
      expect((await post(intro, form as Record<string, string>)).status).toBe(303);
    }
    expect((await traces(intro)).replies).toEqual([]);
  });

  test('the eleventh reply within a day is refused, and accepted a day later', async () => {
    const intro = await fixture.createIntro();
    for (let n = 0; n < 10; n++) {
      expect((await post(intro, { reply: n % 2 === 0 ? 'confirm' : 'reschedule' })).status).toBe(303);
    }
    const refused = await post(intro, CONFIRM);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600']);
    expect(await refused.text()).toContain('Please call');
    expect((await traces(intro)).messages).toHaveLength(10);
    fixture.setTime(new Date(NOW.getTime() + 86_400_000));
    expect((await post(intro, CONFIRM)).status).toBe(303);
    fixture.setTime(NOW);
    expect((await traces(intro)).messages).toHaveLength(11);
  });

  test('publishes the webhook in the same transaction', async () => {
    const intro = await fixture.createIntro();
    await fixture.addEndpoint(intro);
    await post(intro, CONFIRM);
    expect((await traces(intro)).webhooks.toSorted()).toEqual(['intro.opened', 'intro.replied', 'intro.sent']);
  });

  test.each([
    ['was cancelled', 410, "intros set status = 'cancelled'"],
    ['has expired', 410, "intros set status = 'expired'"],
    ['was taken down', 303, 'intros set taken_down_at = now()'],
    ['belongs to a member who left', 303, 'members set pages_replaced_at = now()'],
  ])('a page that %s accepts no reply', async (_why, status, change) => {
    const intro = await fixture.createIntro({ status: 'sent' });
    await fixture.database.query(`update ${change} where organization_id = $1`, [intro.organizationId]);
    expect((await post(intro, CONFIRM)).status).toBe(status);
    expect((await traces(intro)).replies).toEqual([]);
    expect(await get(intro.path)).not.toContain('name="reply"');
  });

  test('another site cannot send a reply, and an unknown link has none', async () => {
    const intro = await fixture.createIntro();
    expect((await post(intro, CONFIRM, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await post({ ...intro, path: '/i/Page99999999' }, CONFIRM)).status).toBe(404);
    expect((await traces(intro)).replies).toEqual([]);
  });
});

const LATER = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);

const PHONE = '+14155550123';

/** As a browser submits a form without fields. */
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const send = (path: string, headers: Record<string, string> = {}, action = 'opt-out') =>
  fetch(`${fixture.url}${path}/${action}`, { method: 'POST', headers: { ...FORM, ...headers }, body: '' });

const optOutRowsOf = async ({ organizationId }: PageIntro) => ({
  consents: await fixture.database.sql`select phone, kind, source, created_at from consents
    where organization_id = ${organizationId}`,
  optOuts: await fixture.database.sql`select phone, source, opted_out_at from opt_outs
    where organization_id = ${organizationId}`,
});
const NOTHING = { consents: [], optOuts: [] };
const ONCE = {
  consents: [{ phone: PHONE, kind: 'opt_out', source: 'page', created_at: NOW }],
  optOuts: [{ phone: PHONE, source: 'page', opted_out_at: NOW }],
};

test('one tap opts the number out with the page as its source, publishes one event, and confirms it in the brand', async () => {
  const intro = await fixture.createIntro({ organization: { accent: '#8a2f1d' } });
  const before = fixture.optedOut.length;
  const response = await send(intro.path);
  const text = await response.text();
  expect(response.status).toBe(200);
  expect(text).toContain('No more text messages');
  expect(text).toContain('Acme Roofing');
  expect(text).toContain('#8a2f1d');
  expect(text).not.toContain(PHONE);
  expect(response.headers.get('cache-control')).toMatch(/no-store|no-cache/);
  expect(await optOutRowsOf(intro)).toEqual(ONCE);
  expect((await send(intro.path)).status).toBe(200);
  expect(await optOutRowsOf(intro)).toEqual(ONCE);
  expect(fixture.optedOut.slice(before)).toEqual([PHONE]);
  expect(await fixture.intro(intro.id)).toMatchObject({ status: 'ready', opened_at: null });
});

test('a form from another site and a large body are refused, and change nothing', async () => {
  const intro = await fixture.createIntro();
  expect((await send(intro.path, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  const body = `x=${'y'.repeat(10_000)}`;
  const large = await fetch(`${fixture.url}${intro.path}/opt-out`, { method: 'POST', headers: FORM, body });
  expect(large.status).toBe(413);
  expect(await optOutRowsOf(intro)).toEqual(NOTHING);
});

test('following the address, as a reload does, redirects to the page and changes nothing', async () => {
  const intro = await fixture.createIntro();
  for (const method of ['GET', 'HEAD']) {
    const response = await fetch(`${fixture.url}${intro.path}/opt-out`, { method, redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([303, intro.path]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'private, no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
    });
  }
  const shown = await fetch(`${fixture.url}${intro.path}/opt-out`);
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Dana')]);
  expect(await optOutRowsOf(intro)).toEqual(NOTHING);
});

test.each([
  { setup: { status: 'cancelled' }, status: 410, heading: 'This page has closed' },
  { setup: { status: 'expired' }, status: 410, heading: 'This page has closed' },
  { setup: { status: 'requested', video: null }, status: 404, heading: 'Page not found' },
])('an intro that is $setup.status answers $status, and nothing changes', async ({ setup, status, heading }) => {
  const intro = await fixture.createIntro(setup as PageSetup);
  const followed = await fetch(`${fixture.url}${intro.path}/opt-out`, { redirect: 'manual' });
  for (const response of [await send(intro.path), followed]) {
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(heading);
  }
  expect(await optOutRowsOf(intro)).toEqual(NOTHING);
});

describe('undoing', () => {
  const undo = (intro: PageIntro, headers = {}) => send(intro.path, headers, 'undo-opt-out');
  const read = async (response: Promise<Response>) => (await response).text();
  const page = (intro: PageIntro) => read(fetch(fixture.url + intro.path));
  const UNDO = '/undo-opt-out"';
  afterEach(() => fixture.setTime(NOW));

  test('is offered for ten minutes, on the confirmation and on the page, and leaves no opt-out', async () => {
    const intro = await fixture.createIntro();
    const confirmation = await read(send(intro.path));
    expect(confirmation).toContain(UNDO);
    expect(confirmation).toContain(`href="${intro.path}"`);
    expect(await page(intro)).toContain('You get no more texts from Acme Roofing.');
    fixture.setTime(LATER(9));
    expect(await page(intro)).toContain(UNDO);
    const before = fixture.optedIn.length;
    const undone = await read(undo(intro));
    expect(undone).toContain('You will get text messages again');
    expect(undone).toContain(`href="${intro.path}"`);
    const { consents, optOuts } = await optOutRowsOf(intro);
    expect(optOuts).toEqual([]);
    expect(consents).toMatchObject([
      { kind: 'opt_out', source: 'page' },
      { kind: 'opt_in', source: 'page' },
    ]);
    expect(
      await fixture.database
        .sql`select action, reason from audit_entries where organization_id = ${intro.organizationId}
      order by id desc limit 1`,
    ).toMatchObject([{ action: 'consent.restored', reason: 'page' }]);
    expect(await page(intro)).toContain('Stop texts from Acme Roofing');
    await undo(intro);
    expect(fixture.optedIn.slice(before)).toEqual([PHONE]);
  });

  test('is not possible later: the page says how to hear from them again', async () => {
    const intro = await fixture.createIntro();
    await send(intro.path);
    expect(await page(intro)).toContain(UNDO);
    fixture.setTime(LATER(10));
    const shown = await page(intro);
    expect(shown).not.toContain(UNDO);
    expect(shown).toContain('reply START');
    expect(await read(undo(intro))).toContain('No more text messages');
    expect(await optOutRowsOf(intro)).toEqual(ONCE);
  });

  test.each(['text', 'carrier', 'api', 'team', 'operator', 'import'])(
    'never touches an opt-out by %s, from before the tap or after it',
    async (source) => {
      const intro = await fixture.createIntro();
      await fixture.database.sql`insert into opt_outs (organization_id, environment, phone, source, opted_out_at)
        values (${intro.organizationId}, 'test', ${PHONE}, ${source}, ${NOW})`;
      const { optOuts } = await optOutRowsOf(intro);
      expect(await read(send(intro.path))).not.toContain(UNDO);
      expect(await page(intro)).not.toContain(UNDO);
      expect(await read(undo(intro))).toContain('No more text messages');
      expect((await optOutRowsOf(intro)).optOuts).toEqual(optOuts);
    },
  );

  test('without an opt-out, from another site, or by following the address changes nothing', async () => {
    const intro = await fixture.createIntro();
    expect((await undo(intro)).status).toBe(200);
    expect(await optOutRowsOf(intro)).toEqual(NOTHING);
    await send(intro.path);
    expect((await undo(intro, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const followed = await fetch(`${fixture.url}${intro.path}/undo-opt-out`, { redirect: 'manual' });
    expect([followed.status, followed.headers.get('location')]).toEqual([303, intro.path]);
    expect(await optOutRowsOf(intro)).toEqual(ONCE);
  });

  test('finds the waiting texts as they were: they are held until it is no longer possible', async () => {
    const intro = await fixture.createIntro({ responsibility: 'service' });
    await fixture.database
      .sql`insert into message_queue (organization_id, environment, id, intro_id, audience, purpose, due_at, created_at)
      values (${intro.organizationId}, 'test', 'msg_1', ${intro.id}, 'recipient', 'deliver', ${LATER(1)}, ${NOW})`;
    await send(intro.path);
    const [queued] = await fixture.database.sql`select due_at from message_queue where intro_id = ${intro.id}`;
    expect(queued).toEqual({ due_at: LATER(10) });
  });
});
