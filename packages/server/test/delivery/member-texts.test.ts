import { beforeEach, describe, expect, test } from 'vitest';
import { readTimeline } from '../../src/delivery/index.ts';
import { forFile } from '../harness/index.ts';
import { type Person, textingWith } from './texting.ts';
import { openWithProviders } from './with-providers.ts';

let member: Person;
const fixture = await forFile(openWithProviders('2026-06-10T17:00:00Z'));
const texting = textingWith(fixture);
beforeEach(async () => {
  fixture.events.length = 0;
  member = await texting.createMember();
});

const isDeclined = async (id: string) => (await texting.declines(id)).length === 1;
const memberOf = async (id: string) => (await fixture.intro(id)).member_id;

describe('a member who was texted about one intro', () => {
  test('declines it with a text, in their own words: as in the recorder', async () => {
    const id = await texting.ask(member);
    expect(await texting.text(member.phone, 'NO, on vacation')).toBe(
      'OK, you declined the video for Dana Reyes. Your team decides what happens next. Changed your mind? Record it with your link.',
    );
    expect(await texting.declines(id)).toEqual([{ reason: 'other', message: 'on vacation', by_text: true }]);
    expect(fixture.events).toEqual([{ type: 'intro.declined', subject: id }]);
    expect(await fixture.intro(id)).toMatchObject({ status: 'requested', declined_generation: 0 });
    const reminders = (await fixture.messages(id)).filter(({ purpose }) => purpose !== 'ask');
    expect(reminders.map(({ status, error_code }) => [status, error_code])).toEqual([['dropped', 'declined']]);
    const { data: steps } = await readTimeline(fixture.db, member.tenant, id);
    expect(steps.find(({ type }) => type === 'declined')).toMatchObject({
      cause: 'member',
      detail: { member: member.memberId, reason: 'other', message: 'on vacation', channel: 'text' },
    });
    // The intro is not theirs to record any more.
    expect(await texting.text(member.phone, 'NO')).toBe('You have no video to record, so nothing was changed.');
  });

  test('hands it over to a colleague, who is notified; the audit log says that it was a text', async () => {
    const sam = await texting.addColleague(member, 'Sam', 'Lee');
    await texting.addColleague(member, 'Kim', 'Ortiz');
    const id = await texting.ask(member);
    expect(await texting.text(member.phone, 'GIVE Sam')).toBe(
      'Done. Sam Lee records the video for Dana Reyes now, and your link no longer works.',
    );
    expect(await memberOf(id)).toBe(sam);
    expect((await texting.sent(id, 'ask')).map(({ status }) => status)).toEqual(['accepted', 'scheduled']);
    const entries = await fixture.database.query(
      'select action, actor_type, actor_id, related_id, ip, user_agent from audit_entries where object_id = $1',
      [id],
    );
    expect(entries).toEqual([
      {
        ...{ action: 'intro.reassigned', actor_type: 'member', actor_id: member.memberId, related_id: sam },
        ...{ ip: null, user_agent: 'Text message' },
      },
    ]);
    const { data: steps } = await readTimeline(fixture.db, member.tenant, id);
    expect(steps.find(({ type }) => type === 'reassigned')?.detail).toMatchObject({ channel: 'text' });
  });

  test('is asked for the full name if several colleagues have it, and told if no one has it', async () => {
    await texting.addColleague(member, 'Sam', 'Lee');
    const ortiz = await texting.addColleague(member, 'Sam', 'Ortiz');
    await texting.addColleague(member, 'Kim', 'Gone', false);
    const id = await texting.ask(member);
    expect(await texting.text(member.phone, 'give sam')).toBe(
      'Several colleagues have this name: Sam Lee, Sam Ortiz. Reply with the full name, such as GIVE Sam Lee.',
    );
    for (const name of ['Kim', 'Ana']) {
      expect(await texting.text(member.phone, `GIVE ${name}`)).toContain(`No colleague is called ${name}`);
    }
    expect(await memberOf(id)).toBe(member.memberId);
    await texting.text(member.phone, 'GIVE Sam Ortiz');
    expect(await memberOf(id)).toBe(ortiz);
  });

  test('gets help in response to other words and to HELP, in the language of the organization', async () => {
    const spanish = await texting.createMember({ name: 'Techos Ames', language: 'es' });
    await Promise.all([texting.ask(member), texting.ask(spanish)]);
    expect(await texting.text(member.phone, 'On it')).toContain(
      'Reply NO to decline the video for Dana Reyes, or GIVE',
    );
    expect(await texting.text(spanish.phone, 'Voy')).toContain('Responde NO para rechazar el video para Dana Reyes');
    expect(await texting.text(member.phone, 'HELP')).toContain('Reply NO to decline one');
    expect(await texting.text(spanish.phone, 'No puedo')).toContain('Listo, rechazaste el video para Dana Reyes');
  });

  test('gets everything in the language that they chose, although the organization has another', async () => {
    await fixture.database.query("update members set language = 'es' where id = $1", [member.memberId]);
    const [message] = await texting.sent(await texting.ask(member), 'ask');
    expect(message?.body).toContain('graba un video corto');
    expect(await texting.text(member.phone, 'HELP')).toContain('Responde NO para rechazar una');
    expect(await texting.text(member.phone, 'No puedo')).toContain('Listo, rechazaste el video para Dana Reyes');
  });

  test('cannot decline what is recorded, expired, or someone else’s', async () => {
    const recorded = await texting.ask(member);
    await fixture.record(recorded);
    const passed = await texting.ask(member);
    await fixture.database.query('update intros set expires_at = $2 where id = $1', [passed, fixture.now()]);
    expect(await texting.text(member.phone, 'NO')).toBe('You have no video to record, so nothing was changed.');
    const uploading = await texting.ask(member);
    await fixture.database.query(
      `insert into recordings (organization_id, environment, id, intro_id, member_id, status, media_type, created_at, touched_at)
       select organization_id, environment, 'rec_1', id, member_id, 'uploading', 'video/mp4', $3::timestamptz, $3
       from intros where organization_id = $1 and id = $2`,
      [member.tenant.organizationId, uploading, fixture.now()],
    );
    expect(await texting.text(member.phone, 'NO')).toContain('is already recorded or being uploaded');
    for (const id of [recorded, passed, uploading]) expect(await isDeclined(id)).toBe(false);
  });

  test('who was only emailed, or is inactive, or not known declines nothing', async () => {
    const emailed = await fixture.createOrganization({ member: { phone: '+13125553001', notify_by: 'email' } });
    const id = await texting.ask({ ...emailed, phone: '+13125553001' });
    expect(await texting.text('+13125553001', 'NO')).toBeNull();
    const left = await texting.ask(member);
    await fixture.database.query('update members set active = false where id = $1', [member.memberId]);
    expect(await texting.text(member.phone, 'NO')).toBeNull();
    expect(await texting.text('+13125553999', 'NO')).toBeNull();
    for (const one of [id, left]) expect(await isDeclined(one)).toBe(false);
  });

  test('who opted out of texts gets none, but declines', async () => {
    const id = await texting.ask(member);
    await texting.text(member.phone, 'STOP');
    expect(await texting.text(member.phone, 'NO')).toBeNull();
    expect(await isDeclined(id)).toBe(true);
  });
});

describe('a member who was texted about several intros', () => {
  let first: string;
  let second: string;
  beforeEach(async () => {
    first = await texting.ask(member, { firstName: 'Dana' });
    second = await texting.ask(member, { firstName: 'Lee' });
  });

  test('gets a list, and chooses by number', async () => {
    expect(await texting.text(member.phone, 'NO')).toBe(
      [
        'Nothing was changed yet. Videos to record:',
        '1 Dana Reyes',
        '2 Lee Reyes',
        'Reply NO 1 to decline, or GIVE 1 and a first name to hand it over.',
      ].join('\n'),
    );
    expect([await isDeclined(first), await isDeclined(second)]).toEqual([false, false]);
    expect(await texting.text(member.phone, 'NO 2 sick')).toContain('you declined the video for Lee Reyes');
    expect([await isDeclined(first), await isDeclined(second)]).toEqual([false, true]);
  });

  test('keeps the numbers of the list when an intro leaves or joins', async () => {
    await texting.text(member.phone, 'NO');
    await texting.text(member.phone, 'NO 1');
    const third = await texting.ask(member, { firstName: 'Kim' });
    // The number of the first intro is not given to another one.
    expect(await texting.text(member.phone, 'NO 1')).toContain('1 Lee Reyes\n2 Kim Reyes');
    expect([await isDeclined(second), await isDeclined(third)]).toEqual([false, false]);
    await texting.text(member.phone, 'NO 2');
    expect([await isDeclined(second), await isDeclined(third)]).toEqual([false, true]);
  });

  test('hands over by number, and the list is valid for a day', async () => {
    const sam = await texting.addColleague(member, 'Sam', 'Lee');
    expect(await texting.text(member.phone, 'GIVE 1 Sam')).toContain('1 Dana Reyes');
    const day = new Date(fixture.now().getTime() + 86_400_000 + 1_000).toISOString();
    const before = fixture.now().toISOString();
    fixture.setNow(day);
    expect(await texting.text(member.phone, 'GIVE 2 Sam')).toContain('2 Lee Reyes');
    expect(await memberOf(second)).toBe(member.memberId);
    await texting.text(member.phone, 'GIVE 2 Sam');
    expect([await memberOf(first), await memberOf(second)]).toEqual([member.memberId, sam]);
    fixture.setNow(before);
  });

  test('of two organizations that share the number gets one list', async () => {
    const other = await texting.createMember({ name: 'Best Windows', phone: member.phone });
    const theirs = await texting.ask(other, { firstName: 'Pat' });
    expect(await texting.text(member.phone, 'NO')).toContain('1 Dana Reyes\n2 Lee Reyes\n3 Pat Reyes');
    await texting.text(member.phone, 'NO 3');
    expect([await isDeclined(first), await isDeclined(second), await isDeclined(theirs)]).toEqual([false, false, true]);
    // An organization's own number concerns only that organization.
    const own = await texting.text(member.phone, 'NO', { organizationId: member.tenant.organizationId });
    expect(own).not.toContain('Pat');
  });

  test('sees how many do not fit', async () => {
    for (const firstName of ['C', 'D', 'E', 'F', 'G', 'H', 'I', 'J']) await texting.ask(member, { firstName });
    const list = (await texting.text(member.phone, 'NO'))?.split('\n') ?? [];
    expect(list.slice(9, 11)).toEqual(['9 I Reyes', '1 more: open their links.']);
    expect(await texting.text(member.phone, 'NO 10')).toContain('1 Dana Reyes');
  });
});

test('a text that its carrier reports again, also at the same time on another node, is applied and answered once', async () => {
  const [sam, id] = [await texting.addColleague(member, 'Sam', 'Lee'), await texting.ask(member)];
  const other = fixture.deliveryWith().routes.replies;
  const report = {
    from: member.phone,
    body: 'GIVE Sam',
    organizationId: null,
    reported: { carrier: 'telnyx', id: 'one' },
  };
  const nodes = [fixture.delivery.routes.replies, other, other, fixture.delivery.routes.replies];
  const responses = await Promise.all(nodes.map((node) => node.receive(report)));
  expect(responses.filter((response) => response !== null)).toHaveLength(1);
  expect(await memberOf(id)).toBe(sam);
  expect(await other.receive(report)).toBeNull();
});

test('a text whose transaction fails leaves nothing behind, and is applied when its carrier repeats it', async () => {
  const id = await texting.ask(member);
  const decline = () => texting.text(member.phone, 'NO', { reported: { carrier: 'telnyx', id: 'after a failure' } });
  await fixture.database.query(`
    create function fail() returns trigger language plpgsql as 'begin raise exception $$stopped$$; end';
    create trigger fail before delete on message_queue for each row execute function fail()`);
  await expect(decline()).rejects.toThrow('stopped');
  await fixture.database.query('drop function fail cascade');
  expect([await isDeclined(id), fixture.events]).toEqual([false, []]);
  expect(await decline()).toContain('you declined the video');
  expect(await isDeclined(id)).toBe(true);
});

test('a number that texts too often is ignored for a while, except for keywords', async () => {
  const id = await texting.ask(member);
  for (let i = 0; i < 10; i++) expect(await texting.text(member.phone, 'On it')).not.toBeNull();
  expect(await texting.text(member.phone, 'NO')).toBeNull();
  expect(await texting.text(member.phone, 'HELP')).not.toBeNull();
  expect(await isDeclined(id)).toBe(false);
  const before = fixture.now().toISOString();
  fixture.setNow(new Date(fixture.now().getTime() + 60_000).toISOString());
  expect(await texting.text(member.phone, 'NO')).not.toBeNull();
  expect(await isDeclined(id)).toBe(true);
  fixture.setNow(before);
});

test('a reaction, and a text without words, change nothing', async () => {
  const id = await texting.ask(member);
  for (const body of ['Liked “Please record a short video”', ' \u0000 ', '👍 to “Please record”']) {
    expect(await texting.text(member.phone, body)).toBeNull();
  }
  expect(await isDeclined(id)).toBe(false);
});
