import type { Transaction } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { judgeByHand, notifyNewMember, remindByHand, sendAgain } from '../../src/delivery/index.ts';
import {
  cancelManually,
  createIntroEvents,
  createReassign,
  type IntroEvents,
  type Reassign,
} from '../../src/intros/index.ts';
import { discardIntroUploads } from '../../src/recordings/index.ts';
import type { Tables, Tenant } from '../../src/tables.ts';
import { type NewIntro, openStage, type Stage } from './delivery-fixture.ts';

/** Ten in the morning in Chicago. */
const MONDAY = '2026-06-08T15:00:00Z';
const HOUR_MS = 3_600_000;

let stage: Stage;
let introEvents: IntroEvents;
let reassign: Reassign;
let tenant: Tenant;
let memberId: string;
beforeAll(async () => {
  stage = await openStage(MONDAY);
  introEvents = createIntroEvents(stage.links);
  reassign = createReassign({ links: stage.links, introEvents, discardUploads: discardIntroUploads, notifyNewMember });
});
afterAll(() => stage.close());
beforeEach(async () => {
  ({ tenant, memberId } = await stage.organize({ timezone: 'America/Chicago' }));
});

const wait = (hours: number) => stage.until(new Date(stage.now().getTime() + hours * HOUR_MS).toISOString());
const within = <T>(work: (tx: Transaction<Tables>) => Promise<T>) => stage.db.kysely.transaction().execute(work);
const remind = (id: string) => within((tx) => remindByHand(tx, tenant, id, stage.now()));
const again = (id: string) => within((tx) => sendAgain(tx, tenant, id, stage.now()));
const give = (introId: string, to: string) =>
  within((tx) => reassign(tx, tenant, { introId, memberId: to, by: memberId }, stage.now()));
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

async function ask(intro: NewIntro = {}): Promise<string> {
  const id = await stage.ask({ tenant, member: memberId, ...intro });
  await stage.tick();
  return id;
}

async function addMember(fields: { active?: boolean; phone?: string } = {}): Promise<string> {
  const id = `mem_${String(Math.trunc(performance.now() * 1000)).padStart(26, '0')}`;
  await stage.database.query(
    `insert into members (organization_id, environment, id, first_name, last_name, email, phone, role, active, created_at)
     values ($1, 'test', $2, 'Bo', 'Lind', 'bo@acme.example', $3, 'member', $4, $5)`,
    [tenant.organizationId, id, fields.phone ?? '+13125550118', fields.active ?? true, stage.now()],
  );
  return id;
}

const story = async (id: string) =>
  (await stage.messages(id)).map(({ purpose, status, address }) => [purpose, status, address].join(' '));

describe('a reminder by hand', () => {
  it('goes at once by day, and again after an hour, but never twice within one', async () => {
    const id = await ask();
    expect(await codeOf(remind(id))).toBe('too_soon');
    await wait(2);
    expect(await remind(id)).toMatchObject({ dueAt: stage.now(), heldFor: null });
    expect(await codeOf(remind(id))).toBe('too_soon');
    await stage.tick();
    expect(await codeOf(remind(id))).toBe('too_soon');
    await wait(1);
    await remind(id);
    await stage.tick();
    const sent = (await story(id)).filter((one) => one.startsWith('remind_by_hand'));
    expect(sent).toEqual(['remind_by_hand accepted +13125550117', 'remind_by_hand accepted +13125550117']);
  });

  it('waits for the morning at night, and says so', async () => {
    const id = await ask();
    await stage.until('2026-06-09T04:00:00Z');
    const morning = new Date('2026-06-09T13:00:00Z');
    expect(await remind(id)).toMatchObject({ dueAt: morning, heldFor: 'quiet_hours' });
    await stage.tick();
    expect((await story(id)).filter((one) => one.includes('accepted'))).toHaveLength(1);
    await stage.until('2026-06-09T13:00:01Z');
    expect((await story(id)).filter((one) => one.startsWith('remind_by_hand accepted'))).toHaveLength(1);
  });

  it('pressed twice at the same moment goes once', async () => {
    const id = await ask();
    await wait(2);
    const codes = await Promise.all([1, 2, 3, 4].map(() => codeOf(remind(id))));
    expect(codes.sort()).toEqual(['done', 'too_soon', 'too_soon', 'too_soon']);
  });

  it('is refused for what is recorded or closed', async () => {
    const recorded = await ask();
    await stage.record(recorded);
    await wait(2);
    expect(await codeOf(remind(recorded))).toBe('intro_recorded');
    const cancelled = await ask();
    await within((tx) =>
      cancelManually({ introEvents }, tx, tenant, { introId: cancelled, by: memberId }, stage.now()),
    );
    expect(await codeOf(remind(cancelled))).toBe('intro_closed');
    expect((await judgeByHand(stage.db.kysely, tenant, recorded, stage.now())).remind?.code).toBe('intro_recorded');
  });
});

describe('sending a text again', () => {
  it('goes a day after the last one to this number about the same moment, and says when', async () => {
    await stage.until('2026-06-10T15:00:00Z');
    const id = await ask({ touchpoint: 'project_kickoff' });
    await stage.record(id);
    expect(await codeOf(again(id))).toBe('too_soon');
    await stage.tick();
    expect((await stage.intro(id)).status).toBe('sent');
    const sentAt = stage.now();
    await wait(1);
    const promised = await again(id);
    expect(promised).toMatchObject({ dueAt: new Date(sentAt.getTime() + 24 * HOUR_MS), heldFor: 'recent_text' });
    expect(await codeOf(again(id))).toBe('too_soon');
    await wait(24);
    const texts = (await stage.messages(id)).filter(({ purpose }) => purpose === 'deliver');
    expect(texts.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
    expect(texts[1]?.accepted_at).toEqual(promised.dueAt);
    expect(await stage.intro(id)).toMatchObject({ status: 'sent', sent_at: sentAt });
    expect(stage.news.filter(({ type, of }) => type === 'intro.sent' && of === id)).toHaveLength(1);
  });

  it('brings what could not be sent before, and marks it as sent', async () => {
    const id = await ask({ touchpoint: 'project_update', phone: '+14155551234' });
    await stage.database.query(`insert into opt_outs values ($1, 'test', '+14155551234', 'page', now())`, [
      tenant.organizationId,
    ]);
    await stage.record(id);
    await stage.tick();
    expect((await stage.intro(id)).delivery_error_code).toBe('recipient_opted_out');
    expect(await codeOf(again(id))).toBe('delivery_refused');
    await stage.database.query(`delete from opt_outs where phone = '+14155551234'`);
    await again(id);
    await stage.tick();
    expect(await stage.intro(id)).toMatchObject({ status: 'sent', delivery_error_code: null });
  });

  it('is told of at once when a STOP comes while it waits', async () => {
    await stage.until('2026-06-11T15:00:00Z');
    const id = await ask({ touchpoint: 'project_update', phone: '+14155551235' });
    await stage.record(id);
    await stage.tick();
    await wait(1);
    expect(await again(id)).toMatchObject({ heldFor: 'recent_text' });
    await stage.delivery.routes.replies.hear({ from: '+14155551235', body: 'STOP', organizationId: null });
    await stage.tick();
    expect(await stage.intro(id)).toMatchObject({ status: 'sent', delivery_error_code: 'recipient_opted_out' });
    expect(await story(id)).toContain('deliver dropped +14155551235');
  });

  it('is refused before there is a video, for what others deliver, and for what is closed', async () => {
    const requested = await ask();
    expect(await codeOf(again(requested))).toBe('intro_not_ready');
    const theirs = await ask({ responsibility: 'integration' });
    await stage.record(theirs);
    expect(await codeOf(again(theirs))).toBe('delivery_refused');
    await within((tx) =>
      cancelManually({ introEvents }, tx, tenant, { introId: requested, by: memberId }, stage.now()),
    );
    expect(await codeOf(again(requested))).toBe('intro_closed');
  });

  it('is refused when the appointment would have begun by then', async () => {
    await stage.until('2026-06-12T15:00:00Z');
    const appointment = { startsAt: '2026-06-12T22:00:00Z', timezone: 'America/Chicago' };
    const id = await ask({ touchpoint: 'new_appointment', appointment });
    await stage.record(id);
    await stage.tick();
    await wait(1);
    expect(await codeOf(again(id))).toBe('delivery_refused');
  });
});

describe('giving an intro to somebody else', () => {
  const opens = async (url: string) =>
    (await stage.links.find(stage.db.kysely, 'record', url.split('/').at(-1) ?? ''))?.introId ?? null;

  it('asks the new member with a link of their own, and the old one opens nothing any more', async () => {
    const id = await ask();
    const old = stage.links.recordUrl(id, 0);
    expect(await opens(old)).toBe(id);
    const bo = await addMember();
    expect(await give(id, bo)).toBeNull();
    expect(await opens(old)).toBeNull();
    expect(await opens(stage.links.recordUrl(id, 1))).toBe(id);
    await stage.tick();
    const asked = (await stage.messages(id)).filter(({ purpose }) => purpose === 'ask');
    expect(asked.map(({ address }) => address)).toEqual(['+13125550117', '+13125550118']);
    expect(asked[1]?.body).toContain(stage.links.recordUrl(id, 1));
    expect(await stage.intro(id)).toMatchObject({ member_id: bo, version: 2, status: 'requested' });
  });

  it('drops the reminders of the old member, and plans those of the new one', async () => {
    const id = await ask();
    await give(id, await addMember());
    await stage.tick();
    const reminders = (await stage.messages(id)).filter(({ purpose }) => purpose === 'remind');
    expect(reminders.map(({ status, error_code }) => [status, error_code])).toEqual([
      ['dropped', 'reassigned'],
      ['scheduled', null],
    ]);
  });

  it('works back and forth, each time with another link', async () => {
    const id = await ask();
    const bo = await addMember();
    const urls = [stage.links.recordUrl(id, 0)];
    for (const [round, to] of [bo, memberId, bo].entries()) {
      expect(await give(id, to)).toBeNull();
      const url = stage.links.recordUrl(id, round + 1);
      expect(await opens(url)).toBe(id);
      for (const dead of urls) expect(await opens(dead)).toBeNull();
      urls.push(url);
    }
    expect(new Set(urls).size).toBe(4);
  });

  it('pressed twice at the same moment asks once', async () => {
    const id = await ask();
    const bo = await addMember();
    const refusals = await Promise.all([1, 2, 3].map(() => give(id, bo)));
    expect(refusals.filter((refusal) => refusal === null)).toHaveLength(1);
    await stage.tick();
    expect((await story(id)).filter((one) => one.startsWith('ask'))).toHaveLength(2);
  });

  it('is refused for somebody who left, of another organization, or who has it already, and changes nothing', async () => {
    const id = await ask();
    const gone = await addMember({ active: false });
    const other = await stage.organize({ name: 'Other' });
    for (const to of [gone, other.memberId, memberId, 'mem_nobody']) {
      expect((await give(id, to))?.field, to).toBe('member');
    }
    expect(await stage.intro(id)).toMatchObject({ version: 1, link_generation: 0, member_id: memberId });
  });

  it('is refused once there is a video, or one that just arrived, or when it is closed', async () => {
    const bo = await addMember();
    const recorded = await ask();
    await stage.record(recorded);
    expect((await give(recorded, bo))?.code).toBe('intro_recorded');
    const arriving = await ask();
    await stage.database.query(
      `insert into recordings (organization_id, environment, id, intro_id, status, media_type, created_at, touched_at)
       values ($1, 'test', 'rec_arriving', $2, 'uploaded', 'video/mp4', now(), now())`,
      [tenant.organizationId, arriving],
    );
    expect((await give(arriving, bo))?.code).toBe('intro_recorded');
    const cancelled = await ask();
    await within((tx) =>
      cancelManually({ introEvents }, tx, tenant, { introId: cancelled, by: memberId }, stage.now()),
    );
    expect((await give(cancelled, bo))?.code).toBe('intro_closed');
  });

  it('throws away what the old member was uploading', async () => {
    const id = await ask();
    await stage.database.query(
      `insert into recordings (organization_id, environment, id, intro_id, status, media_type, created_at, touched_at)
       values ($1, 'test', 'rec_uploading', $2, 'uploading', 'video/mp4', now(), now())`,
      [tenant.organizationId, id],
    );
    expect(await give(id, await addMember())).toBeNull();
    const [take] = await stage.database.query(`select status from recordings where id = 'rec_uploading'`);
    expect(take).toEqual({ status: 'discarded' });
  });
});
