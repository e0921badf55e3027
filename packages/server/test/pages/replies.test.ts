import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { NOW, openPages, type PageIntro } from './page-fixture.ts';

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
