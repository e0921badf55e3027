import { beforeEach, describe, expect, test } from 'vitest';
import { notifyOfReply, readTimeline } from '../../src/delivery/index.ts';
import { findIntro, presentReply, storeReply } from '../../src/intros/index.ts';
import { forFile } from '../harness/index.ts';
import { TWILIO } from './carrier-services.ts';
import { type Person, textingWith } from './texting.ts';
import { openWithProviders } from './with-providers.ts';

let member: Person;
let phone: string;
const fixture = await forFile(openWithProviders('2026-06-10T17:00:00Z'));
const texting = textingWith(fixture);
beforeEach(async () => {
  member = await texting.createMember();
  phone = texting.newPhone();
  fixture.events.length = 0;
});

const DAY_MS = 86_400_000;
const messagesOf = async (id: string) => (await texting.replies(id)).map(({ message }) => message);

describe('a text of a recipient who was texted a link', () => {
  test('is a reply of the intro, like one on the page: webhook, timeline, overview, and a text to the member', async () => {
    const id = await texting.deliver(member, { phone });
    fixture.events.length = 0;
    expect(await texting.text(phone, 'Great video!\nDo you need the garage?')).toBeNull();
    expect(await texting.replies(id)).toEqual([
      { type: 'message', label: 'Text message', message: 'Great video!\nDo you need the garage?', by_text: true },
    ]);
    expect(fixture.events).toEqual([{ type: 'intro.replied', subject: id }]);
    const intro = await findIntro(fixture.db.kysely, member.tenant, id);
    expect(intro && presentReply(intro)).toMatchObject({ type: 'message', channel: 'text' });
    // A text does not say that the page was opened.
    expect(intro?.opened_at).toBeNull();
    const { data: steps } = await readTimeline(fixture.db, member.tenant, id);
    expect(steps.find(({ type }) => type === 'replied')).toMatchObject({
      cause: 'recipient',
      detail: { reply: 'message', message: 'Great video!\nDo you need the garage?', channel: 'text' },
    });
    await fixture.tick();
    const [notification] = await texting.sent(id, 'reply');
    expect(notification).toMatchObject({ status: 'accepted', address: member.phone });
    expect(notification?.body).toBe(
      `Acme Roofing: Dana Reyes replied by text: "Great video! Do you need the garage?" Their number: ${phone}.`,
    );
  });

  test('belongs to the intro that was texted last', async () => {
    const earlier = await texting.deliver(member, { phone });
    const later = await texting.deliver(member, { phone });
    await fixture.database.query(
      "update messages set accepted_at = accepted_at - interval '1 hour' where intro_id = $1",
      [earlier],
    );
    await texting.text(phone, 'Thanks');
    expect([await messagesOf(earlier), await messagesOf(later)]).toEqual([[], ['Thanks']]);
  });

  test('is stored once if its report is repeated, again if it is written again, and at most ten times a day', async () => {
    const id = await texting.deliver(member, { phone });
    const report = { reported: { carrier: 'twilio', id: 'SM repeated' } };
    await Promise.all([texting.text(phone, 'One', report), texting.text(phone, 'One', report)]);
    expect(await messagesOf(id)).toEqual(['One']);
    await texting.text(phone, 'One');
    expect(await messagesOf(id)).toEqual(['One', 'One']);
    const before = fixture.now().toISOString();
    for (let i = 0; i < 12; i++) {
      fixture.setNow(new Date(fixture.now().getTime() + 60_000).toISOString());
      await texting.text(phone, `More ${i}`);
    }
    expect(await messagesOf(id)).toHaveLength(10);
    fixture.setNow(before);
  });

  test('may have an attachment, 1,600 characters, or characters that no one can see', async () => {
    const id = await texting.deliver(member, { phone });
    await texting.text(phone, '', { media: 2 });
    await texting.text(phone, 'My roof', { media: 1 });
    const long = `${'é'.repeat(1_599)}👍`;
    await texting.text(phone, `${long}cut off`);
    await texting.text(phone, '\u0000Hi\u0007 \ud83d');
    expect(await messagesOf(id)).toEqual(['[attachment]', 'My roof [attachment]', long, 'Hi  \ufffd']);
    for (const nothing of ['', '\u0000', 'Loved “Hi Dana, Ana from Acme Roofing”']) await texting.text(phone, nothing);
    expect(await messagesOf(id)).toHaveLength(4);
    await fixture.tick();
    const texts = await texting.sent(id, 'reply');
    expect(texts.map(({ status }) => status)).toEqual(Array(4).fill('accepted'));
    for (const { body } of texts) expect([...(body ?? '')].length).toBeLessThan(640);
  });

  test('reaches the member of a recipient who opted out, and is no answer to them', async () => {
    const id = await texting.deliver(member, { phone });
    await texting.text(phone, 'STOP');
    await texting.text(phone, 'But call me');
    expect(await messagesOf(id)).toEqual(['But call me']);
  });

  test('is stored nowhere once the page is taken down, closed or erased, or if nothing was texted', async () => {
    const down = await texting.deliver(member, { phone });
    await fixture.database.query('update intros set taken_down_at = now() where id = $1', [down]);
    await texting.text(phone, 'Hello?');
    const [closedPhone, erasedPhone, untexted] = [texting.newPhone(), texting.newPhone(), texting.newPhone()];
    const closed = await texting.deliver(member, { phone: closedPhone });
    const old = new Date(fixture.now().getTime() - 180 * DAY_MS);
    await fixture.database.query('update intros set sent_at = $2 where id = $1', [closed, old]);
    await texting.text(closedPhone, 'Hello?');
    const erased = await texting.deliver(member, { phone: erasedPhone });
    await fixture.database.query("update intros set erased_at = now(), recipient_phone = '' where id = $1", [erased]);
    await texting.text(erasedPhone, 'Hello?');
    const pending = await fixture.createIntro({ ...member, member: member.memberId, phone: untexted });
    expect(await texting.text(untexted, 'Hello?')).toBeNull();
    for (const id of [down, closed, erased, pending]) expect(await messagesOf(id)).toEqual([]);
  });
});

describe('a recipient whom several organizations texted', () => {
  test('from the shared number is asked to reply on the page: no organization gets the text', async () => {
    const other = await texting.createMember({ name: 'Best Windows' });
    const [first, second] = [await texting.deliver(member, { phone }), await texting.deliver(other, { phone })];
    expect(await texting.text(phone, 'See you at 3')).toBe(
      "We can't tell which company your text is for, so no one got it. Please reply on the page with your video, or call the company.",
    );
    expect([await messagesOf(first), await messagesOf(second)]).toEqual([[], []]);
  });

  test("from an organization's own number replies to that organization", async () => {
    const own = await texting.createMember({ name: 'Best Windows' });
    const shared = await texting.deliver(member, { phone });
    const theirs = await texting.deliver(own, { phone });
    const { organizationId } = own.tenant;
    await fixture.useAccount(own.tenant, TWILIO);
    await fixture.database.query('update messages set by_own_account = true where organization_id = $1', [
      organizationId,
    ]);
    await texting.text(phone, 'To the windows', { organizationId });
    await texting.text(phone, 'To the roof');
    expect([await messagesOf(theirs), await messagesOf(shared)]).toEqual([['To the windows'], ['To the roof']]);
    const stranger = await texting.createMember({ name: 'Stranger' });
    expect(await texting.text(phone, 'Hi', { organizationId: stranger.tenant.organizationId })).toBeNull();
    expect(await messagesOf(shared)).toEqual(['To the roof']);
  });

  test('and who is a member of another organization is asked, too, unless the text is a clear command', async () => {
    const other = await texting.createMember({ name: 'Best Windows', phone });
    const delivered = await texting.deliver(member, { phone });
    const requested = await texting.ask(other);
    expect(await texting.text(phone, 'No, thanks')).toContain("We can't tell which company");
    expect(await messagesOf(delivered)).toEqual([]);
    expect(await texting.declines(requested)).toEqual([]);
    expect(await texting.text(phone, 'DECLINE')).toContain('you declined the video');
    expect(await texting.declines(requested)).toHaveLength(1);
  });
});

test('a member who sends an intro to their own number replies to the last text', async () => {
  const requested = await texting.ask(member, { phone: member.phone });
  expect(await texting.text(member.phone, 'Hm')).toContain("We didn't understand that");
  await fixture.pass(60_000);
  await fixture.record(requested);
  await fixture.tick();
  expect(await texting.text(member.phone, 'No, looks good')).toBeNull();
  expect(await messagesOf(requested)).toEqual(['No, looks good']);
});

test('a reply on the page is texted to the member once, on one line, with the number of the recipient', async () => {
  const id = await texting.deliver(member, { phone });
  await fixture.db.kysely.transaction().execute(async (tx) => {
    const introEvents = { publish: async () => undefined } as never;
    const question = { type: 'question', message: 'Do you need\naccess to the attic?' } as const;
    const of = { tenant: member.tenant, introId: id };
    const number = await storeReply({ introEvents }, tx, of, question, fixture.now());
    if (typeof number !== 'number') throw new Error(`not stored: ${number}`);
    await notifyOfReply(tx, member.tenant, { introId: id, number }, fixture.now());
  });
  for (let i = 0; i < 2; i++) await fixture.tick();
  expect(await texting.sent(id, 'reply')).toMatchObject([
    {
      ...{ status: 'accepted', channel: 'text', address: member.phone },
      body: `Acme Roofing: Dana Reyes replied to your video: "I have a question": "Do you need access to the attic?" Their number: ${phone}.`,
    },
  ]);
});
