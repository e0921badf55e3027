import { beforeEach, describe, expect, test } from 'vitest';
import { readTimeline } from '../../src/delivery/index.ts';
import { forFile } from '../harness/index.ts';
import { type Person, textingWith } from './texting.ts';
import { openWithProviders } from './with-providers.ts';

const NOON = '2026-06-10T17:00:00Z';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let member: Person;
let phone: string;
const fixture = await forFile(openWithProviders(NOON));
const texting = textingWith(fixture);
beforeEach(async () => {
  fixture.setNow(NOON);
  member = await texting.createMember();
  await texting.forwardReplies(member);
  phone = texting.newPhone();
});

const { pass: later } = fixture;

/** The recipient of a new intro replies, and the member gets the reply. */
async function forward(words: string, to = phone, firstName = 'Dana', from = member): Promise<string> {
  const id = await texting.deliver(from, { phone: to, firstName });
  await texting.text(to, words);
  await fixture.tick();
  return id;
}

const wordsTo = async (id: string) => {
  const select = 'select message from intro_answers where intro_id = $1 order by number';
  return (await fixture.database.query<{ message: string }>(select, [id])).map(({ message }) => message);
};

describe('a forwarded reply', () => {
  test('hides the number, and the answer of the member goes to the recipient from the service’s number', async () => {
    const id = await forward('Do you need the garage?');
    const [forwarded] = await texting.sent(id, 'reply');
    expect(forwarded?.body).toBe(
      'Acme Roofing: Dana Reyes replied by text: "Do you need the garage?" Reply to this text to answer.',
    );
    expect(await texting.text(member.phone, 'Yes, please\nopen it')).toBe('Your answer is on its way to Dana Reyes.');
    await fixture.tick();
    const [answer, ...others] = await texting.sent(id, 'answer');
    expect(others).toEqual([]);
    expect(answer).toMatchObject({ status: 'accepted', address: phone, channel: 'text' });
    expect(answer?.body).toBe('Ana from Acme Roofing: Yes, please\nopen it');
    const { data: steps } = await readTimeline(fixture.db, member.tenant, id);
    expect(steps.filter(({ type }) => type.startsWith('answer')).map(({ type, detail }) => [type, detail])).toEqual([
      ['answered', { member: member.memberId, message: 'Yes, please\nopen it' }],
      ['answer_sent', { channel: 'text' }],
    ]);
    expect(steps.filter(({ type }) => type === 'sent')).toHaveLength(1);
    // The intro and its delivery are as before.
    expect(await fixture.intro(id)).toMatchObject({ status: 'sent', delivery_error_code: null });
  });

  test('by email hides the number, too', async () => {
    await fixture.database.query("update members set notify_by = 'email' where id = $1", [member.memberId]);
    const id = await forward('Call me');
    const [email] = await texting.sent(id, 'reply');
    expect(email).toMatchObject({ channel: 'email', subject: 'Dana Reyes replied by text' });
    expect(email?.body).toContain('Call me');
    expect(email?.body).not.toContain(phone);
  });

  test('is answered once, even if the carrier reports the answer again, to any node', async () => {
    const id = await forward('Which day?');
    const other = fixture.deliveryWith().routes.replies;
    const report = {
      from: member.phone,
      body: 'Friday',
      organizationId: null,
      reported: { carrier: 'http', id: 'friday' },
    };
    const nodes = [fixture.delivery.routes.replies, other, other];
    const responses = await Promise.all(nodes.map((node) => node.receive(report)));
    expect(responses.filter((response) => response !== null)).toHaveLength(1);
    await fixture.tick();
    expect([await wordsTo(id), (await texting.sent(id, 'answer')).length]).toEqual([['Friday'], 1]);
  });

  test('of the same words as the one before is another one, and so is its answer', async () => {
    const id = await forward('Yes');
    await texting.text(member.phone, 'Yes');
    await texting.text(phone, 'Yes');
    await fixture.tick();
    await texting.text(member.phone, 'Yes');
    await fixture.tick();
    expect([await texting.sent(id, 'reply'), await texting.sent(id, 'answer')].map(({ length }) => length)).toEqual([
      2, 2,
    ]);
  });

  test('cannot be answered while the organization has it off', async () => {
    await texting.forwardReplies(member, false);
    const id = await forward('Hello');
    expect((await texting.sent(id, 'reply'))[0]?.body).toContain(`Their number: ${phone}.`);
    expect(await texting.text(member.phone, 'Hi')).toBe(
      'No one reads texts to this number. Please contact your customer directly.',
    );
    expect(await wordsTo(id)).toEqual([]);
  });
});

describe('an answer', () => {
  test.each([
    ['is too long', 'x'.repeat(501), {}, 'Not sent: your answer has 501 characters. Please shorten it to 500.'],
    [
      'has an attachment',
      'Look',
      { media: 1 },
      'Not sent: pictures and files cannot be passed on. Please send words only.',
    ],
  ])('that %s is not sent, and the member is told', async (_name, words, more, expected) => {
    const id = await forward('Hello');
    expect(await texting.text(member.phone, words, more)).toBe(expected);
    expect(await wordsTo(id)).toEqual([]);
  });

  test('to a recipient who opted out is not sent, also if they opt out while it waits', async () => {
    const id = await forward('Hello');
    await texting.text(member.phone, 'First');
    await texting.text(phone, 'STOP');
    await fixture.tick();
    expect(await texting.sent(id, 'answer')).toMatchObject([{ status: 'dropped', error_code: 'recipient_opted_out' }]);
    const { data: steps } = await readTimeline(fixture.db, member.tenant, id);
    expect(steps.map(({ type }) => type)).toContain('answer_not_sent');
    expect(await fixture.intro(id)).toMatchObject({ delivery_error_code: null });
    expect(await texting.text(member.phone, 'Second')).toBe(
      'Not sent: Dana Reyes opted out of texts. Please call instead.',
    );
    expect(await wordsTo(id)).toEqual(['First']);
  });

  test('at night waits for the morning of the recipient, and the member knows', async () => {
    fixture.setNow('2026-06-11T03:30:00Z');
    const id = await texting.deliver(member, { phone });
    await later(10 * HOUR_MS);
    await texting.text(phone, 'Hello');
    await fixture.tick();
    await later(13 * HOUR_MS);
    expect(await texting.text(member.phone, 'Good night')).toBe(
      'Dana Reyes will get your answer at Fri, Jun 12, 8:00 AM CDT.',
    );
    await fixture.tick();
    expect(await texting.sent(id, 'answer')).toMatchObject([{ status: 'scheduled', held_for: 'quiet_hours' }]);
    await fixture.advanceTo('2026-06-12T13:00:01Z');
    expect(await texting.sent(id, 'answer')).toMatchObject([{ status: 'accepted' }]);
  });

  test('counts for the daily limit of the recipient', async () => {
    const id = await forward('Hello');
    for (const words of ['1', '2', '3', '4', '5']) await texting.text(member.phone, `Answer no. ${words}`);
    await fixture.tick();
    const texts = await texting.sent(id, 'answer');
    // The link was the first of five.
    expect(texts.map(({ status, held_for }) => [status, held_for])).toEqual([
      ...Array(4).fill(['accepted', null]),
      ['scheduled', 'daily_limit'],
    ]);
  });

  test('does not wait for other texts of the touchpoint, nor delay them', async () => {
    const id = await texting.deliver(member, { phone, touchpoint: 'visit' });
    await texting.text(phone, 'Hello');
    await fixture.tick();
    await texting.text(member.phone, 'Hi');
    await fixture.tick();
    expect(await texting.sent(id, 'answer')).toMatchObject([{ status: 'accepted' }]);
  });

  test('about a page that was taken down is not sent', async () => {
    const id = await forward('Hello');
    await fixture.database.query('update intros set taken_down_at = now() where id = $1', [id]);
    expect(await texting.text(member.phone, 'Hi')).toContain('no longer shows the video');
    expect(await wordsTo(id)).toEqual([]);
  });
});

describe('with several recipients, an answer', () => {
  const lee = () => texting.newPhone();

  test('goes to the one whose reply was forwarded last', async () => {
    const first = await forward('From Dana');
    await later(HOUR_MS);
    const second = await forward('From Lee', lee(), 'Lee');
    await later(3 * MINUTE_MS);
    expect(await texting.text(member.phone, 'Hi Lee')).toContain('on its way to Lee Reyes');
    expect([await wordsTo(first), await wordsTo(second)]).toEqual([[], ['Hi Lee']]);
  });

  test('is asked about if the last reply arrived while the member was writing', async () => {
    const first = await forward('From Dana');
    await later(HOUR_MS);
    const second = await forward('From Lee', lee(), 'Lee');
    await later(MINUTE_MS);
    expect(await texting.text(member.phone, 'Hi Dana')).toBe(
      'Nothing was sent yet. Who is it for?\n1 Lee Reyes\n2 Dana Reyes\nReply ANSWER 1 and your words.',
    );
    expect([await wordsTo(first), await wordsTo(second)]).toEqual([[], []]);
    expect(await texting.text(member.phone, 'ANSWER 2 Hi Dana')).toContain('on its way to Dana Reyes');
    expect([await wordsTo(first), await wordsTo(second)]).toEqual([['Hi Dana'], []]);
    expect(await texting.text(member.phone, 'ANSWER 3 Hi')).toContain('Who is it for?');
  });

  test('is asked about after a day', async () => {
    const id = await forward('Hello');
    await later(25 * HOUR_MS);
    expect(await texting.text(member.phone, 'Hi')).toBe(
      'Nothing was sent yet. Who is it for?\n1 Dana Reyes\nReply ANSWER 1 and your words.',
    );
    expect(await wordsTo(id)).toEqual([]);
    await texting.text(member.phone, 'ANSWER 1 Hi');
    expect(await wordsTo(id)).toEqual(['Hi']);
  });

  test('of two organizations is asked about', async () => {
    const other = await texting.createMember({ name: 'Best Windows', phone: member.phone });
    await texting.forwardReplies(other);
    const first = await forward('From Dana');
    await later(HOUR_MS);
    const second = await forward('From Lee', lee(), 'Lee', other);
    await later(HOUR_MS);
    expect(await texting.text(member.phone, 'Hi')).toContain('1 Lee Reyes\n2 Dana Reyes');
    expect([await wordsTo(first), await wordsTo(second)]).toEqual([[], []]);
  });
});

describe('with a video to record, a text', () => {
  test('that may also be an answer is asked about', async () => {
    const words = 'No, we do not';
    const id = await forward('Do you need the garage?');
    const requested = await texting.ask(member, { firstName: 'Lee' });
    const asked = (await texting.text(member.phone, words))?.split('\n');
    expect(asked?.slice(1, 3)).toEqual(['1 Dana Reyes (reply)', '2 Lee Reyes (to record)']);
    expect(asked?.slice(3).map((line) => line.slice(0, 14))).toEqual(['Reply ANSWER 1', 'Reply NO 2 to ']);
    expect([await wordsTo(id), await texting.declines(requested)]).toEqual([[], []]);
    await texting.text(member.phone, `ANSWER 1 ${words}`);
    await texting.text(member.phone, 'NO 2');
    expect([await wordsTo(id), await texting.declines(requested)]).toEqual([
      [words],
      [expect.objectContaining({ message: null })],
    ]);
  });

  test('that may be about a newer request is asked about, and answers an older one', async () => {
    const requested = await texting.ask(member, { firstName: 'Lee' });
    await later(HOUR_MS);
    const id = await forward('Hello');
    // The member may not have read the reply yet.
    expect(await texting.text(member.phone, 'On it')).toContain('1 Dana Reyes (reply)\n2 Lee Reyes (to record)');
    await later(3 * MINUTE_MS);
    await texting.text(member.phone, 'Hello Dana');
    await later(HOUR_MS);
    await texting.ask(member, { firstName: 'Kim' });
    expect(await texting.text(member.phone, 'On it')).toContain('3 Kim Reyes (to record)');
    expect([await wordsTo(id), await texting.declines(requested)]).toEqual([['Hello Dana'], []]);
  });

  test('that is a clear command is no answer, and other words are', async () => {
    await texting.addColleague(member, 'Sam', 'Lee');
    const id = await forward('Hello');
    const [first, second] = [await texting.ask(member), await texting.ask(member)];
    expect(await texting.text(member.phone, 'DECLINE')).toContain('Videos to record');
    expect(await texting.text(member.phone, 'DECLINE 1')).toContain('you declined');
    expect(await texting.text(member.phone, 'GIVE Sam')).toContain('Sam Lee records the video');
    expect((await fixture.intro(second)).member_id).not.toBe(member.memberId);
    expect(await texting.declines(first)).toHaveLength(1);
    await texting.text(member.phone, 'See you soon');
    expect(await wordsTo(id)).toEqual(['See you soon']);
    // Nothing is left to record, so that "no" is an answer.
    await texting.text(member.phone, 'No, thanks');
    expect(await wordsTo(id)).toEqual(['See you soon', 'No, thanks']);
  });
});

test('an answer that waits is dropped when the recipient is erased', async () => {
  const id = await forward('Hello');
  await texting.text(member.phone, 'Hi');
  await fixture.database.query("delete from message_queue where intro_id = $1 and purpose = 'answer'", [id]);
  await fixture.database.query("update intros set erased_at = now(), recipient_phone = '' where id = $1", [id]);
  await fixture.database.query('update messages set address = null where intro_id = $1 and audience = $2', [
    id,
    'recipient',
  ]);
  expect(await texting.text(member.phone, 'Hi again')).toBe(
    'No one reads texts to this number. Please contact your customer directly.',
  );
  expect(await texting.text(phone, 'Still there?')).toBeNull();
  expect(await wordsTo(id)).toEqual(['Hi']);
});
