import { describe, expect, test } from 'vitest';
import { eventually, expectError } from '../acceptance/support/actions.ts';
import { openPhone } from '../acceptance/support/recorder.ts';
import { makePng } from '../cli/picture-maker.ts';
import { openTeam } from '../console/team-fixture.ts';
import { forFile } from '../harness/index.ts';
import { listObjects } from './object-store.ts';

const REMOVED_WITHIN_MS = 60_000;

const team = await forFile(openTeam());

async function ask(memberId: string, changes: object = {}) {
  const recipient = { first_name: 'Dana', phone: '+15005550123' };
  const { status, body } = await team.api.post('/v1/intros', { member: { id: memberId }, recipient, ...changes });
  expect(status).toBe(201);
  return body;
}

const intro = async (id: string) => (await team.api.get(`/v1/intros/${id}`)).body;

async function record(memberId: string, changes: object = {}) {
  const { id } = await ask(memberId, changes);
  expect((await team.api.post(`/v1/test_helpers/intros/${id}/record`)).status).toBe(202);
  return eventually(
    () => intro(id),
    ({ status }) => status === 'ready' || status === 'sent',
    REMOVED_WITHIN_MS,
  );
}

async function send(memberId: string) {
  const { id } = await record(memberId);
  return (await team.api.post(`/v1/intros/${id}/mark_sent`)).body;
}

const picture = makePng({ width: 100, height: 100 }, [220, 30, 30], [20, 40, 200]).toString('base64');
const addPhoto = (id: string) =>
  team.owner.call('POST /members/{id}/photo', { params: { id }, body: { image: picture } });
const likeness = async (id: string) => (await team.owner.call('GET /members/{id}/likeness', { params: { id } })).body;
const withdraw = (id: string, to?: string) =>
  team.owner.call('POST /members/{id}/likeness/withdraw', { params: { id }, body: to === undefined ? {} : { to } });
const removed = (id: string) =>
  eventually(
    () => likeness(id),
    ({ removal }) => removal?.finished_at != null,
    REMOVED_WITHIN_MS,
  );

/** A path of the service, at the address where tests reach it. */
const open = (url: string) => fetch(team.service.url + new URL(url).pathname, { redirect: 'manual' });

/** The stored files of a member: those of their takes, and their photo. */
async function filesOf(memberId: string): Promise<string[]> {
  const takes = await team.database.sql<{ id: string }>`select id from recordings where member_id = ${memberId}`;
  const all = await listObjects(team.organization.id);
  return all.filter((key) => key.includes(memberId) || takes.some(({ id }) => key.includes(id)));
}

describe('withdrawing consent', () => {
  test('closes pages at once, removes every file, and keeps those of other members', async () => {
    const [leaver, other] = [await team.add({ first_name: 'Leah' }), await team.add()];
    for (const { id } of [leaver, other]) expect((await addPhoto(id)).status).toBe(200);
    const [requested, ready, sent] = [await ask(leaver.id), await record(leaver.id), await send(leaver.id)];
    const theirs = await send(other.id);
    const kept = await filesOf(other.id);
    expect(kept.length).toBeGreaterThan(4);
    expect((await filesOf(leaver.id)).length).toBeGreaterThan(kept.length);

    const phone = await openPhone(team, requested.id);
    const { status, body } = await withdraw(leaver.id);
    expect({ status, state: body.state }).toEqual({ status: 200, state: 'withdrawn' });
    for (const { delivery } of [sent, ready]) {
      const page = await open(delivery.recipient_url);
      const html = await page.text();
      expect(page.status).toBe(410);
      // Before and after the removal has taken the page down.
      expect(html).toMatch(/no longer available|took this page down/);
      expect(html).not.toContain('Leah');
      for (const file of ['poster.jpg', 'photo.jpg', 'preview.webp', 'card.jpg']) {
        expect((await open(`${delivery.recipient_url}/${file}`)).status).toBe(410);
      }
    }

    const { removal } = await removed(leaver.id);
    expect(removal).toMatchObject({ closed: 2, reassigned: 0, taken_down: 1, videos: 2 });
    expect(await filesOf(leaver.id)).toEqual([]);
    // The preview may be made in the meantime.
    expect(await filesOf(other.id)).toEqual(expect.arrayContaining(kept));
    expect((await open(theirs.delivery.recipient_url)).status).toBe(200);
    for (const { id } of [requested, ready]) {
      const at = expect.any(String);
      expect(await intro(id)).toMatchObject({ status: 'cancelled', likeness_withdrawn_at: at, media: null });
    }
    const after = await intro(sent.id);
    expect(after).toMatchObject({ status: 'sent', media: null, taken_down_at: after.likeness_withdrawn_at });
    expect(after.likeness_withdrawn_at).not.toBeNull();
    expect((await open(sent.delivery.recipient_url)).status).toBe(410);
    expect(await intro(theirs.id)).toMatchObject({ likeness_withdrawn_at: null });

    const link = await phone.page();
    expect(link.status).toBe(410);
    expect(await link.text()).toContain('consent');
    expect(await phone.state()).toEqual({ closed: 'likeness_withdrawn' });
    expectError(
      await team.api.post('/v1/intros', {
        member: { id: leaver.id },
        recipient: { first_name: 'Eli', phone: '+15005550124' },
      }),
      422,
      'member_not_found',
      'member.id',
    );
    expect((await addPhoto(leaver.id)).error).toMatchObject({ field: 'photo' });
    expect(await filesOf(leaver.id)).toEqual([]);

    const { entries } = (await team.owner.call('GET /activity', { query: { q: leaver.id } })).body;
    const actions = entries.map(({ action }) => action).filter((action) => action.startsWith('likeness'));
    expect(actions).toEqual(['likeness.removed', 'likeness.withdrawn']);
  });

  test('reassigns the intros to record if asked to, and drops the texts of the others', async () => {
    const [leaver, colleague] = [await team.add(), await team.add()];
    const toRecord = await ask(leaver.id);
    // A recorded intro whose text waits for the morning.
    const waiting = await ask(leaver.id, { delivery: { responsibility: 'service' } });
    await team.database.sql`update intros
      set status = 'ready', recorded_at = now(), expires_at = now() + interval '30 days' where id = ${waiting.id}`;
    await team.database
      .sql`insert into message_queue (organization_id, environment, id, intro_id, audience, purpose, planned_channel, round, address, due_at, created_at)
       select organization_id, environment, 'msg_waits', id, 'recipient', 'deliver', 'text', 1, recipient_phone,
         now() + interval '1 day', now() from intros where id = ${waiting.id}`;
    expect((await withdraw(leaver.id, leaver.id)).error).toMatchObject({ code: 'validation_failed', field: 'to' });
    expect((await likeness(leaver.id)).state).not.toBe('withdrawn');
    expect((await withdraw(leaver.id, colleague.id)).status).toBe(200);
    expect((await removed(leaver.id)).removal).toMatchObject({ reassigned: 1 });
    expect(await intro(toRecord.id)).toMatchObject({
      status: 'requested',
      member: { id: colleague.id },
      likeness_withdrawn_at: null,
    });
    const messages = await team.database.sql`select status, error_code from all_messages where intro_id = ${waiting.id}
      and purpose = 'deliver'`;
    expect(messages).toEqual([{ status: 'dropped', error_code: 'likeness_withdrawn' }]);
    expect((await withdraw(colleague.id, leaver.id)).error).toMatchObject({ field: 'to' });
  });

  test('by the member works without an owner, and consent can be given again', async () => {
    const member = await team.add({ email: 'again@acme.example' });
    const client = await team.signIn(team.organization.id, 'again@acme.example');
    const sent = await send(member.id);
    const params = { id: member.id };
    const { body: before } = await client.call('GET /members/{id}/likeness', { params });
    expect(before).toMatchObject({ state: 'not_given', live_pages: { count: 1 } });
    expect((await client.call('POST /home/likeness', { body: { version: 'other' } })).error.code).toBe('edit_conflict');
    const version = before.text.version;
    expect((await client.call('POST /home/likeness', { body: { version } })).body.state).toBe('given');
    expect((await client.call('POST /members/{id}/likeness/withdraw', { params, body: {} })).body.state).toBe(
      'withdrawn',
    );
    await removed(member.id);
    const again = await client.call('POST /home/likeness', { body: { version } });
    expect(again.body).toMatchObject({
      state: 'given',
      consents: [
        { version, given_by: 'console', withdrawn_at: null },
        { version, given_by: 'console', withdrawn_by: 'member' },
      ],
    });
    expect(again.body.consents[0]?.text).toContain('You can withdraw your consent at any time');
    await ask(member.id);
    expect((await open(sent.delivery.recipient_url)).status).toBe(410);
  });

  test('by the command removes what a request that began before adds later', async () => {
    const member = await team.add();
    const shown = await team.run('member', 'withdraw-consent', member.id);
    expect(shown).toMatchObject({
      object: 'likeness',
      state: 'withdrawn',
      consents: [{ withdrawn_by: 'operator', version: null }],
    });
    await removed(member.id);
    const { id } = await ask((await team.add()).id);
    await team.database.sql`update intros set member_id = ${member.id} where id = ${id}`;
    const late = await eventually(() => intro(id), { status: 'cancelled' }, REMOVED_WITHIN_MS);
    expect(late.likeness_withdrawn_at).not.toBeNull();
    expect(await team.run('member', 'consent', member.id)).toMatchObject({ state: 'withdrawn' });
  });
});

describe('recording', () => {
  const upload = (url: string, consent?: string) =>
    fetch(`${url}/uploads`, {
      method: 'POST',
      headers: {
        'tus-resumable': '1.0.0',
        'upload-defer-length': '1',
        'upload-metadata': `filetype ${btoa('video/mp4')}`,
        ...(consent !== undefined && { 'foreword-consent': consent }),
      },
    });

  test('stores the consent to the text that the recorder showed, once', async () => {
    const member = await team.add();
    const phone = await openPhone(team, (await ask(member.id)).id);
    const { consent } = await phone.state();
    expect(consent).toMatchObject({ version: '1', language: 'en', settings: '/console/settings' });
    for (const shown of [undefined, '99 en', '1 fr', 'constructor en']) {
      expect((await upload(phone.url, shown)).status).toBe(201);
    }
    expect((await likeness(member.id)).consents).toEqual([]);
    for (let n = 0; n < 2; n += 1) expect((await upload(phone.url, '1 es')).status).toBe(201);
    const { state, consents } = await likeness(member.id);
    expect({ state, count: consents.length }).toEqual({ state: 'given', count: 1 });
    expect(consents[0]).toMatchObject({ version: '1', language: 'es', given_by: 'recording', withdrawn_at: null });
    expect(consents[0]?.text).toContain('Al grabar, aceptas');
  });
});
