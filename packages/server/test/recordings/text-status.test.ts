import { beforeEach, describe, expect, test } from 'vitest';
import type { Tenant } from '../../src/db/tenancy.ts';
import { findIntro, readDeliveryStatus } from '../../src/intros/index.ts';
import { presentState } from '../../src/recordings/present.ts';
import { findForMember, findMemberText } from '../../src/recordings/store/member-view.ts';
import { openDelivery } from '../delivery/delivery-fixture.ts';
import { forFile } from '../harness/index.ts';

let tenant: Tenant;
let memberId: string;
const fixture = await forFile(openDelivery('2026-06-10T15:00:00Z'));
beforeEach(async () => {
  ({ tenant, memberId } = await fixture.createOrganization());
});

/** The intro, as the recorder shows it. */
async function shown(id: string) {
  const db = fixture.db.kysely;
  const intro = await findForMember(db, tenant, id);
  if (intro === null || intro.status === 'cancelled' || intro.status === 'expired')
    throw new Error(`${id} is not open`);
  const text = await findMemberText(db, tenant, id);
  const options = { links: fixture.links, maxBytes: 1, logoUrl: null, text };
  const state = presentState(id, { ...intro, status: intro.status }, options).intro;
  const row = await findIntro(db, tenant, id);
  const words = { queued: null, scheduled: null, by_hand: 'sent' } as const;
  const status = state.text?.status;
  // The API, the lists and the recorder use the same words.
  if (row !== null && status !== undefined)
    expect(readDeliveryStatus(row)).toBe(status in words ? words[status as keyof typeof words] : status);
  return state;
}

/** An intro with a video, once its text is settled. No provider is connected. */
async function recorded(phone: string): Promise<string> {
  const id = await fixture.createIntro({ tenant, member: memberId, phone });
  await fixture.tick();
  expect(await shown(id)).toMatchObject({ text: null, opened: false });
  await fixture.record(id);
  expect((await shown(id)).text).toMatchObject({ status: 'queued', due_at: null, problem: null });
  await fixture.tick();
  return id;
}

describe('without a text provider, the recorder', () => {
  test('says that nothing was sent and why, and later when it is sent', async () => {
    const id = await recorded('+14155550123');
    const problem = { code: 'no_text_provider', message: 'Not sent: no text provider is connected.' };
    const text = { status: 'not_sent', due_at: null, reason: null, problem };
    expect(await shown(id)).toMatchObject({ status: 'ready', text, recipient_url: fixture.links.pageUrl(id, null) });

    const dueAt = '2026-06-11T13:00:00.000Z';
    await fixture.database
      .sql`with text as (delete from messages where intro_id = ${id} and purpose = 'deliver' returning *)
       insert into message_queue (organization_id, environment, id, intro_id, audience, purpose, planned_channel, due_at, held_for, held_until,
         created_at)
       select organization_id, environment, id, intro_id, audience, purpose, channel, ${dueAt}, 'quiet_hours', ${dueAt}, created_at from text`;
    await fixture.database.sql`update intros set delivery_error_code = null where id = ${id}`;
    expect((await shown(id)).text).toMatchObject({ status: 'scheduled', due_at: dueAt, reason: 'quiet_hours' });
  });

  test('says of a test number that the text was simulated, although the intro is sent', async () => {
    const id = await recorded('+15005550123');
    expect(await shown(id)).toMatchObject({ status: 'sent', text: { status: 'simulated', problem: null } });
  });

  test('says that a sent text was not delivered', async () => {
    const { status, text } = await shown(await recorded('+15005550002'));
    expect(status).toBe('sent');
    expect(text).toMatchObject({ status: 'not_delivered', problem: { code: 'undelivered' } });
  });

  test('gives the reason in Spanish in a Spanish organization, even for a code of a newer version', async () => {
    await fixture.database.sql`update organizations set language = 'es' where id = ${tenant.organizationId}`;
    const id = await recorded('+14155550123');
    const message = 'No se envió: no hay ningún proveedor de mensajes de texto conectado.';
    expect((await shown(id)).text?.problem).toEqual({ code: 'no_text_provider', message });
    await fixture.database.sql`update intros set delivery_error_code = 'from_the_future' where id = ${id}`;
    expect((await shown(id)).text?.problem?.message).toBe('No se envió ningún mensaje de texto.');
  });

  test('tells an intro that a person marked as sent from one that was texted', async () => {
    const id = await recorded('+14155550123');
    await fixture.database
      .sql`update intros set status = 'sent', sent_at = now(), expires_at = null, delivery_error_code = null,
         delivery_error_message = null where id = ${id}`;
    expect(await shown(id)).toMatchObject({ opened: false, text: { status: 'by_hand', problem: null } });
  });
});
