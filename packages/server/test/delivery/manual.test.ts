import { setTimeout as pause } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Tables, Tenant } from '../../src/db/tenancy.ts';
import {
  checkManualSends,
  correctPhone,
  notifyNewMember,
  remindManually,
  resendManually,
} from '../../src/delivery/index.ts';
import { takeDue } from '../../src/delivery/store/queue.ts';
import { cancelManually, createIntroEvents, createReassign, markUnreachable } from '../../src/intros/index.ts';
import { newId } from '../../src/platform/ids.ts';
import { discardIntroUploads } from '../../src/recordings/index.ts';
import { forFile } from '../harness/index.ts';
import type { NewIntro } from './delivery-fixture.ts';
import { openWithProviders } from './with-providers.ts';

/** 10 AM in Chicago. */
const MONDAY = '2026-06-08T15:00:00Z';
const HOUR_MS = 3_600_000;

let tenant: Tenant;
let memberId: string;
const fixture = await forFile(openWithProviders(MONDAY));
const introEvents = createIntroEvents(fixture.links, fixture.publish);
const reassign = createReassign({
  links: fixture.links,
  introEvents,
  discardUploads: discardIntroUploads,
  notifyNewMember,
});
beforeEach(async () => {
  ({ tenant, memberId } = await fixture.createOrganization({ timezone: 'America/Chicago' }));
});

const wait = (hours: number) => fixture.pass(hours * HOUR_MS);
const within = <T>(work: (tx: Transaction<Tables>) => Promise<T>) => fixture.db.kysely.transaction().execute(work);
const remind = (id: string) => within((tx) => remindManually(fixture, tx, tenant, id, fixture.now()));
const resend = (id: string) => within((tx) => resendManually(fixture, tx, tenant, id, fixture.now()));
const correct = (introId: string, phone: string) =>
  within((tx) => correctPhone(fixture, tx, tenant, { introId, phone, by: memberId }, fixture.now()));
const reassignTo = (introId: string, to: string) =>
  within((tx) => reassign(tx, tenant, { introIds: [introId], memberId: to, by: memberId }, fixture.now()));
const cancel = (introId: string) =>
  within((tx) => cancelManually({ introEvents }, tx, tenant, { introId, by: memberId }, fixture.now()));
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

async function ask(intro: NewIntro = {}): Promise<string> {
  const id = await fixture.createIntro({ tenant, member: memberId, ...intro });
  await fixture.tick();
  return id;
}

/** Creates an intro that is recorded, and sends its text if that is due. */
async function record(intro: NewIntro = {}): Promise<string> {
  const id = await ask(intro);
  await fixture.record(id);
  await fixture.tick();
  return id;
}

const optOut = (phone: string) =>
  fixture.database.query(`insert into opt_outs values ($1, 'test', $2, 'api', now())`, [tenant.organizationId, phone]);

const addMember = (columns: { active?: boolean } = {}) =>
  fixture.addMember(tenant, { first_name: 'Bo', phone: '+13125550118', role: 'member', ...columns });

const summarize = async (id: string) =>
  (await fixture.messages(id)).map(({ purpose, status, address }) => [purpose, status, address].join(' '));

describe('a manual reminder', () => {
  test('is sent at once by day, and at most once an hour', async () => {
    const id = await ask();
    expect(await codeOf(remind(id))).toBe('too_soon');
    await wait(2);
    expect(await remind(id)).toMatchObject({ dueAt: fixture.now(), heldFor: null });
    expect(await codeOf(remind(id))).toBe('too_soon');
    await fixture.tick();
    expect(await codeOf(remind(id))).toBe('too_soon');
    await wait(1);
    await remind(id);
    await fixture.tick();
    const sent = (await summarize(id)).filter((one) => one.startsWith('remind_by_hand'));
    expect(sent).toEqual(['remind_by_hand accepted +13125550117', 'remind_by_hand accepted +13125550117']);
  });

  test('requested at night waits for the morning, and reports that time', async () => {
    const id = await ask();
    await fixture.advanceTo('2026-06-09T04:00:00Z');
    const morning = new Date('2026-06-09T13:00:00Z');
    expect(await remind(id)).toMatchObject({ dueAt: morning, heldFor: 'quiet_hours' });
    await fixture.tick();
    expect((await summarize(id)).filter((one) => one.includes('accepted'))).toHaveLength(1);
    await fixture.advanceTo('2026-06-09T13:00:01Z');
    expect((await summarize(id)).filter((one) => one.startsWith('remind_by_hand accepted'))).toHaveLength(1);
  });

  test('requested several times at once is sent once', async () => {
    const id = await ask();
    await wait(2);
    const codes = await Promise.all([1, 2, 3, 4].map(() => codeOf(remind(id))));
    expect(codes.sort()).toEqual(['done', 'too_soon', 'too_soon', 'too_soon']);
  });

  test('is rejected for a recorded or closed intro', async () => {
    const recorded = await ask();
    await fixture.record(recorded);
    await wait(2);
    expect(await codeOf(remind(recorded))).toBe('intro_recorded');
    const cancelled = await ask();
    await cancel(cancelled);
    expect(await codeOf(remind(cancelled))).toBe('intro_closed');
    expect((await checkManualSends(fixture, fixture.db.kysely, tenant, recorded, fixture.now())).remind?.code).toBe(
      'intro_recorded',
    );
  });
});

describe('a manual resend', () => {
  test('is sent a day after the last text of the touchpoint to this number, and reports that time', async () => {
    await fixture.advanceTo('2026-06-10T15:00:00Z');
    const id = await ask({ touchpoint: 'project_kickoff' });
    await fixture.record(id);
    expect(await codeOf(resend(id))).toBe('too_soon');
    await fixture.tick();
    expect((await fixture.intro(id)).status).toBe('sent');
    const sentAt = fixture.now();
    await wait(1);
    const scheduled = await resend(id);
    expect(scheduled).toMatchObject({ dueAt: new Date(sentAt.getTime() + 24 * HOUR_MS), heldFor: 'recent_text' });
    expect(await codeOf(resend(id))).toBe('too_soon');
    await wait(24);
    const texts = await fixture.messagesFor(id, 'deliver');
    expect(texts.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
    expect(texts[1]?.accepted_at).toEqual(scheduled.dueAt);
    expect(await fixture.intro(id)).toMatchObject({ status: 'sent', sent_at: sentAt });
    expect(fixture.events.filter(({ type, subject }) => type === 'intro.sent' && subject === id)).toHaveLength(1);
  });

  test('sends a text that failed before, and marks the intro as sent', async () => {
    const id = await ask({ touchpoint: 'project_update', phone: '+14155551234' });
    await optOut('+14155551234');
    await fixture.record(id);
    await fixture.tick();
    expect((await fixture.intro(id)).delivery_error_code).toBe('recipient_opted_out');
    expect(await codeOf(resend(id))).toBe('delivery_refused');
    await fixture.database.query(`delete from opt_outs where phone = '+14155551234'`);
    await resend(id);
    await fixture.tick();
    expect(await fixture.intro(id)).toMatchObject({ status: 'sent', delivery_error_code: null });
  });

  test('that waits fails at once when the recipient opts out', async () => {
    await fixture.advanceTo('2026-06-11T15:00:00Z');
    const id = await record({ touchpoint: 'project_update', phone: '+14155551235' });
    await wait(1);
    expect(await resend(id)).toMatchObject({ heldFor: 'recent_text' });
    await fixture.delivery.routes.replies.receive({ from: '+14155551235', body: 'STOP', organizationId: null });
    await fixture.tick();
    expect(await fixture.intro(id)).toMatchObject({ status: 'sent', delivery_error_code: 'recipient_opted_out' });
    expect(await summarize(id)).toContain('deliver dropped +14155551235');
  });

  test('is rejected before the video is recorded, for intros that the integration delivers, and for closed ones', async () => {
    const requested = await ask();
    expect(await codeOf(resend(requested))).toBe('intro_not_ready');
    const theirs = await ask({ responsibility: 'integration' });
    await fixture.record(theirs);
    expect(await codeOf(resend(theirs))).toBe('delivery_refused');
    await cancel(requested);
    expect(await codeOf(resend(requested))).toBe('intro_closed');
    const old = await record();
    await wait(180 * 24);
    expect(await codeOf(resend(old))).toBe('intro_closed');
  });

  test('is rejected if the appointment begins before it could be sent', async () => {
    await fixture.advanceTo('2026-06-12T15:00:00Z');
    const appointment = { startsAt: '2026-06-12T22:00:00Z', timezone: 'America/Chicago' };
    const id = await record({ touchpoint: 'new_appointment', appointment });
    await wait(1);
    expect(await codeOf(resend(id))).toBe('delivery_refused');
  });
});

describe('a corrected number', () => {
  test('gets the text once, and belongs to the other open intros of the recipient', async () => {
    await fixture.advanceTo('2026-06-15T15:00:00Z');
    const wrong = '+14155551260';
    const [id, open, sent] = [await ask({ phone: wrong }), await ask({ phone: wrong }), await ask({ phone: wrong })];
    const other = await ask({ phone: '+14155551261' });
    await fixture.record(sent);
    await fixture.tick();
    await optOut(wrong);
    await fixture.record(id);
    await fixture.tick();
    expect((await fixture.intro(id)).delivery_error_code).toBe('recipient_opted_out');
    const codes = await Promise.all([1, 2, 3].map(() => codeOf(correct(id, '+14155551262'))));
    expect(codes.sort()).toEqual(['done', 'validation_failed', 'validation_failed']);
    await fixture.tick();
    const phones = async (...ids: string[]) =>
      Promise.all(ids.map(async (one) => (await fixture.intro(one)).recipient_phone));
    expect(await phones(id, open, sent, other)).toEqual([
      ...['+14155551262', '+14155551262'],
      // It was sent to the number that it has.
      ...[wrong, '+14155551261'],
    ]);
    expect((await summarize(id)).filter((one) => one.startsWith('deliver accepted'))).toEqual([
      'deliver accepted +14155551262',
    ]);
    expect(await fixture.intro(id)).toMatchObject({ status: 'sent', delivery_error_code: null });
  });

  test('is corrected in two intros of one recipient at once', async () => {
    const phone = '+14155551269';
    const ids = [await ask({ phone }), await ask({ phone })];
    const codes = await Promise.all(ids.map((id, n) => codeOf(correct(id, `+1415555127${n}`))));
    expect(codes).toEqual(['done', 'done']);
  });

  test('gets the text that waits, at its time', async () => {
    const id = await ask({ phone: '+14155551263' });
    await fixture.advanceTo('2026-06-17T05:00:00Z');
    await fixture.record(id);
    await correct(id, '+14155551264');
    await fixture.advanceTo('2026-06-17T16:00:00Z');
    expect((await summarize(id)).filter((one) => one.startsWith('deliver'))).toEqual(['deliver accepted +14155551264']);
  });

  test('is refused for someone who opted out and for a closed intro, and changes nothing', async () => {
    await fixture.advanceTo('2026-06-18T15:00:00Z');
    const id = await record({ phone: '+14155551265' });
    await optOut('+14155551266');
    expect(await codeOf(correct(id, '+14155551266'))).toBe('delivery_refused');
    expect((await fixture.intro(id)).recipient_phone).toBe('+14155551265');
    const cancelled = await ask({ phone: '+14155551267' });
    await cancel(cancelled);
    expect(await codeOf(correct(cancelled, '+14155551268'))).toBe('intro_closed');
    expect(await codeOf(correct('int_unknown', '+14155551268'))).toBe('not_found');
  });
});

describe('reassigning an intro', () => {
  test('does not wait for a worker that claims its message, which may wait for the intro', async () => {
    const id = await fixture.createIntro({ tenant, member: memberId });
    const to = await addMember();
    const claim = await fixture.db.kysely.startTransaction().execute();
    expect(await takeDue(claim, fixture.now(), [{ tenant, share: 8 }])).toMatchObject([{ intro_id: id }]);
    const reassigned = reassignTo(id, to);
    await Promise.race([reassigned, pause(500)]);
    // The message failed: the claim reports that the member is unreachable.
    await Promise.all([reassigned, markUnreachable(claim, tenant, [id]).then(() => claim.rollback().execute())]);
    expect(await reassigned).toBeNull();
    // The claim was rolled back, so the next one finds the message of the previous member.
    await fixture.tick();
    expect((await fixture.messages(id)).map(({ status, error_code }) => error_code ?? status)).toContain('reassigned');
  });

  const addTake = (introId: string, status: string) =>
    fixture.database.query(
      `insert into recordings (organization_id, environment, id, intro_id, member_id, status, media_type, created_at, touched_at)
       select organization_id, environment, $2, id, member_id, $4, 'video/mp4', now(), now()
       from intros where organization_id = $1 and id = $3`,
      [tenant.organizationId, newId('rec', fixture.now()), introId, status],
    );
  const opens = async (url: string) =>
    (await fixture.links.find(fixture.db.kysely, 'record', url.split('/').at(-1) ?? ''))?.introId ?? null;

  test('notifies the new member with a new link, and disables the old one', async () => {
    const id = await ask();
    const old = fixture.links.recordUrl(id, 0);
    expect(await opens(old)).toBe(id);
    const bo = await addMember();
    expect(await reassignTo(id, bo)).toBeNull();
    expect(await opens(old)).toBeNull();
    expect(await opens(fixture.links.recordUrl(id, 1))).toBe(id);
    await fixture.tick();
    const notified = await fixture.messagesFor(id, 'ask');
    expect(notified.map(({ address }) => address)).toEqual(['+13125550117', '+13125550118']);
    expect(notified[1]?.body).toContain(fixture.links.recordUrl(id, 1));
    expect(await fixture.intro(id)).toMatchObject({ member_id: bo, version: 2, status: 'requested' });
  });

  test('drops the reminders of the previous member, and plans those of the new one', async () => {
    const id = await ask();
    await reassignTo(id, await addMember());
    await fixture.tick();
    const reminders = await fixture.messagesFor(id, 'remind');
    expect(reminders.map(({ status, error_code }) => [status, error_code])).toEqual([
      ['dropped', 'reassigned'],
      ['scheduled', null],
    ]);
  });

  test('requested several times at once happens once', async () => {
    const id = await ask();
    const bo = await addMember();
    const refusals = await Promise.all([1, 2, 3].map(() => reassignTo(id, bo)));
    expect(refusals.filter((refusal) => refusal === null)).toHaveLength(1);
    await fixture.tick();
    expect((await summarize(id)).filter((one) => one.startsWith('ask'))).toHaveLength(2);
  });

  test('to an inactive member, a member of another organization or the current one is rejected, and changes nothing', async () => {
    const id = await ask();
    const gone = await addMember({ active: false });
    const other = await fixture.createOrganization({ name: 'Other' });
    for (const to of [gone, other.memberId, memberId, 'mem_nobody']) {
      expect((await reassignTo(id, to))?.field, to).toBe('member');
    }
    expect(await fixture.intro(id)).toMatchObject({ version: 1, link_generation: 0, member_id: memberId });
  });

  test('is rejected if the intro is recorded, has a take being processed, or is closed', async () => {
    const bo = await addMember();
    const recorded = await ask();
    await fixture.record(recorded);
    expect((await reassignTo(recorded, bo))?.code).toBe('intro_recorded');
    const arriving = await ask();
    await addTake(arriving, 'uploaded');
    expect((await reassignTo(arriving, bo))?.code).toBe('intro_recorded');
    const cancelled = await ask();
    await cancel(cancelled);
    expect((await reassignTo(cancelled, bo))?.code).toBe('intro_closed');
  });

  test('deletes the upload of the previous member', async () => {
    const id = await ask();
    await addTake(id, 'uploading');
    expect(await reassignTo(id, await addMember())).toBeNull();
    const [take] = await fixture.database.query(`select status from recordings where intro_id = $1`, [id]);
    expect(take).toEqual({ status: 'discarded' });
  });
});
