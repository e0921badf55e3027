import type { Colleague } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { APPOINTMENT, createIntro, eventually, introOfEvent } from '../acceptance/support/actions.ts';
import { openPhone, type Phone } from '../acceptance/support/recorder.ts';
import { forFile } from '../harness/index.ts';
import type { ConsoleClient } from './console-client.ts';
import { openTeam } from './team-fixture.ts';

const team = await forFile(openTeam());

interface Arranged {
  readonly id: string;
  readonly memberId: string;
  readonly phone: Phone;
}

async function arrange(): Promise<Arranged> {
  const { id: memberId } = await team.add();
  const { id } = await createIntro(team.api, { member: { id: memberId } });
  return { id, memberId, phone: await openPhone(team, id) };
}

async function post({ url }: Phone, action: 'decline' | 'hand-over', body: unknown) {
  const response = await fetch(`${url}/${action}`, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, error: text === '' ? null : JSON.parse(text).error };
}

const detail = async (id: string, client: ConsoleClient = team.manager) =>
  (await client.call('GET /intros/{id}', { params: { id } })).body;
const countReassignments = async (id: string) =>
  (await detail(id)).timeline.filter(({ type }) => type === 'reassigned').length;
const apiIntro = async (id: string) => (await team.api.get(`/v1/intros/${id}`)).body;
const emails = (id: string) =>
  team.database.sql<{
    address: string;
    subject: string;
    body: string;
  }>`select address, subject, body from owner_emails where purpose = 'intro_declined' and body like '%' || ${id} || '%'
     order by address`;

describe('declining', () => {
  test('keeps the intro open, says so everywhere, and emails owners and managers once', async () => {
    const { id, memberId, phone } = await arrange();
    const before = await apiIntro(id);
    expect(before.declined).toBeNull();
    const body = { reason: 'other', message: 'Back on Monday' };
    expect((await post(phone, 'decline', body)).status).toBe(204);
    expect((await post(phone, 'decline', { reason: 'away' })).status).toBe(204);

    const after = await apiIntro(id);
    expect(after).toMatchObject({ status: 'requested', version: before.version + 1, expires_at: before.expires_at });
    expect(after.declined).toMatchObject({ reason: 'other', message: 'Back on Monday' });
    expect((await phone.state()).intro.declined).toBe(true);
    const { timeline } = await detail(id);
    expect(timeline.filter(({ type }) => type === 'declined')).toMatchObject([
      { cause: 'member', detail: { member: memberId, reason: 'other', message: 'Back on Monday' } },
    ]);
    const declined = { kind: 'intro', id, problem: 'declined', reason: 'other', message: 'Back on Monday' };
    const { items } = (await team.manager.call('GET /overview/attention')).body;
    expect(items).toContainEqual(expect.objectContaining(declined));
    const { items: others } = (await team.other.owner.call('GET /overview/attention')).body;
    expect(others.filter(({ kind }) => kind === 'intro')).toEqual([]);

    const sent = await emails(id);
    expect(sent.map(({ address }) => address)).toEqual(['manager@acme.example', 'owner@acme.example']);
    expect(sent[0]?.subject).toContain('can’t record the video for');
    expect(sent[0]?.body).toContain('Back on Monday');
    expect(await team.database.sql`select 1 from all_messages where intro_id = ${id} and status = 'scheduled'`).toEqual(
      [],
    );
  });

  test('ends with a reassignment, after which the next member may decline, too', async () => {
    const { id, memberId, phone } = await arrange();
    const next = await team.add();
    await post(phone, 'decline', { reason: 'away' });
    const body = { member: next.id };
    expect((await team.manager.call('POST /intros/{id}/reassign', { params: { id }, body })).status).toBe(200);
    expect((await apiIntro(id)).declined).toBeNull();
    const nextPhone = await openPhone(team, id);
    expect((await nextPhone.state()).intro.declined).toBe(false);
    expect((await post(nextPhone, 'decline', { reason: 'not_meeting' })).status).toBe(204);
    const steps = (await detail(id)).timeline.filter(({ type }) => type === 'declined');
    expect(steps.map((step) => step.detail?.member)).toEqual([memberId, next.id]);
    expect((await apiIntro(id)).declined.reason).toBe('not_meeting');
  });

  test('is 422 without a known reason, without words or with wrong ones, and changes nothing', async () => {
    const { id, phone } = await arrange();
    for (const body of [
      {},
      { reason: 'bored' },
      ...['', ' ', 'x'.repeat(201), 'a\u0000b'].map((message) => ({ reason: 'other', message })),
      { reason: 'other' },
      { reason: 'away', until: 'Monday' },
    ]) {
      expect(await post(phone, 'decline', body)).toMatchObject({ status: 422, error: { code: 'validation_failed' } });
    }
    expect((await fetch(`${phone.url}/decline`, { method: 'POST', body: 'not JSON' })).status).toBe(422);
    expect((await apiIntro(id)).version).toBe(1);
    expect(await emails(id)).toEqual([]);
  });

  test('is refused while a take is uploaded or processed, and once the intro is closed', async () => {
    const { id, phone } = await arrange();
    const upload = await phone.begin({ length: 6 });
    expect(await post(phone, 'decline', { reason: 'away' })).toMatchObject({
      status: 409,
      error: { code: 'intro_recorded', message: expect.stringContaining('being uploaded') },
    });
    // A phone that has been silent for a while.
    await team.database.sql`update recordings set touched_at = now() - interval '6 minutes' where intro_id = ${id}`;
    expect((await post(phone, 'decline', { reason: 'away' })).status).toBe(204);
    // The take still arrives: the video counts.
    expect((await phone.patch(upload, 0, Buffer.from('abcdef'))).status).toBe(204);
    const other = await arrange();
    await other.phone.begin({ length: 6 });
    await team.database.sql`update recordings set status = 'uploaded' where intro_id = ${other.id}`;
    expect((await post(other.phone, 'decline', { reason: 'away' })).error.code).toBe('intro_recorded');
    await team.api.post(`/v1/intros/${other.id}/cancel`);
    expect((await post(other.phone, 'decline', { reason: 'away' })).status).toBe(410);
    expect((await apiIntro(other.id)).declined).toBeNull();
  });

  test('races with a cancellation: one of the two wins, and the intro says which', async () => {
    for (let round = 0; round < 3; round++) {
      const { id, phone } = await arrange();
      const [declined] = await Promise.all([
        post(phone, 'decline', { reason: 'away' }),
        // A busy service may refuse a request with 503.
        eventually(() => team.api.post(`/v1/intros/${id}/cancel`), { status: 200 }),
      ]);
      const intro = await apiIntro(id);
      expect(intro).toMatchObject({ status: 'cancelled', declined: null });
      expect(intro.version).toBe(declined.status === 204 ? 3 : 2);
      expect(await emails(id)).toHaveLength(declined.status === 204 ? 2 : 0);
    }
  });

  test('races with itself and stores one', async () => {
    const { id, phone } = await arrange();
    const answers = await Promise.all([1, 2, 3, 4].map(() => post(phone, 'decline', { reason: 'away' })));
    expect(answers.map(({ status }) => status)).toContain(204);
    expect((await apiIntro(id)).version).toBe(2);
    expect(await emails(id)).toHaveLength(2);
  });

  test('is limited for each member', async () => {
    const { id, memberId, phone } = await arrange();
    await team.database
      .sql`insert into intro_declines (organization_id, environment, intro_id, generation, member_id, reason, created_at)
       select ${team.organization.id}, 'test', 'int_' || n, 0, ${memberId}, 'away', now() from generate_series(1, 30) n`;
    expect(await post(phone, 'decline', { reason: 'away' })).toMatchObject({
      status: 429,
      error: { code: 'rate_limited' },
    });
    expect((await apiIntro(id)).declined).toBeNull();
  });
});

describe('handing over', () => {
  test('reassigns to the colleague, and the old link says who has it', async () => {
    const { id, memberId, phone } = await arrange();
    const colleague = await team.add();
    const { colleagues } = (await (await fetch(`${phone.url}/colleagues`)).json()) as { colleagues: Colleague[] };
    expect(colleagues).toContainEqual({ id: colleague.id, name: `${colleague.first_name} ${colleague.last_name}` });
    expect(colleagues.map((one) => one.id)).not.toContain(memberId);
    expect((await post(phone, 'hand-over', { member: colleague.id })).status).toBe(204);
    expect((await apiIntro(id)).member.id).toBe(colleague.id);
    const { timeline } = await detail(id);
    expect(timeline.find(({ type }) => type === 'reassigned')?.detail).toEqual({
      from: memberId,
      to: colleague.id,
      member: memberId,
    });

    const page = await phone.page();
    expect(page.status).toBe(410);
    expect(await page.text()).toContain(`${colleague.first_name} ${colleague.last_name} records this one now`);
    const state = await fetch(`${phone.url}/state`);
    expect([state.status, await state.json()]).toMatchObject([
      404,
      { error: { code: 'not_found' }, reassigned_to: `${colleague.first_name} ${colleague.last_name}` },
    ]);
    // The repeated request of a lost response.
    expect((await post(phone, 'hand-over', { member: colleague.id })).status).toBe(404);
    expect(await countReassignments(id)).toBe(1);
  });

  test('renders the title and the script of the touchpoint for the colleague', async () => {
    const [ana, sam] = [await team.add({ first_name: 'Anatol' }), await team.add({ first_name: 'Sam' })];
    const event = { touchpoint: 'new_appointment', member: { id: ana.id }, context: { appointment: APPOINTMENT } };
    const { id } = await introOfEvent(team.api, event);
    const before = await apiIntro(id);
    await post(await openPhone(team, id), 'hand-over', { member: sam.id });
    const after = await apiIntro(id);
    expect(after.version).toBe(before.version + 1);
    for (const words of ['context', 'instructions']) {
      expect(JSON.stringify(before[words])).toContain('Anatol');
      expect(JSON.stringify(after[words])).toBe(JSON.stringify(before[words]).replaceAll('Anatol', 'Sam'));
    }
  });

  test('the old link of a deactivated member shows nothing', async () => {
    const { phone, memberId } = await arrange();
    const colleague = await team.add();
    await post(phone, 'hand-over', { member: colleague.id });
    await team.database.sql`update members set active = false where id = ${memberId}`;
    const page = await phone.page();
    expect(page.status).toBe(404);
    expect(await page.text()).not.toContain(colleague.last_name);
    expect(await (await fetch(`${phone.url}/state`)).json()).not.toHaveProperty('reassigned_to');
  });

  test('to a stranger, someone inactive or oneself is 422, and changes nothing', async () => {
    const { id, memberId, phone } = await arrange();
    const inactive = await team.add();
    await team.database.sql`update members set active = false where id = ${inactive.id}`;
    for (const member of [team.other.organization.memberId, inactive.id, memberId, 'mem_x', 7]) {
      expect(await post(phone, 'hand-over', { member })).toMatchObject({ status: 422 });
    }
    expect((await apiIntro(id)).version).toBe(1);
  });

  test('races with a reassignment, and never takes the intro from the new member', async () => {
    for (let round = 0; round < 3; round++) {
      const { id, phone } = await arrange();
      const [one, two] = [await team.add(), await team.add()];
      const [handed, reassigned] = await Promise.all([
        post(phone, 'hand-over', { member: one.id }),
        eventually(
          () => team.manager.call('POST /intros/{id}/reassign', { params: { id }, body: { member: two.id } }),
          ({ status }) => status !== 503,
        ),
      ]);
      expect(reassigned.status).toBe(200);
      expect((await apiIntro(id)).member.id).toBe(two.id);
      expect(await countReassignments(id)).toBe(handed.status === 204 ? 2 : 1);
    }
  });

  test('with a link that was found just before a reassignment changes nothing', async () => {
    const { id, phone } = await arrange();
    const [one, two] = [await team.add(), await team.add()];
    // As between the two reads: the link still exists.
    await team.database
      .sql`update intros set member_id = ${two.id}, link_generation = link_generation + 1 where id = ${id}`;
    expect((await post(phone, 'hand-over', { member: one.id })).status).toBe(404);
    expect((await apiIntro(id)).member.id).toBe(two.id);
  });

  test('is limited for each intro', async () => {
    const { id, memberId, phone } = await arrange();
    const colleague = await team.add();
    await team.database
      .sql`insert into intro_reassignments (organization_id, environment, intro_id, generation, from_member_id, to_member_id, by_member_id, created_at)
       select ${team.organization.id}, 'test', ${id}, n + 100, ${memberId}, ${memberId}, ${memberId}, now() from generate_series(1, 10) n`;
    expect((await post(phone, 'hand-over', { member: colleague.id })).status).toBe(429);
    expect((await apiIntro(id)).member.id).toBe(memberId);
  });
});

test('in the console, a member declines and hands over their own intro only', async () => {
  const { id, memberId } = await arrange();
  const [member] = await team.database.sql<{ email: string }>`select email from members where id = ${memberId}`;
  const client = await team.signIn(team.organization.id, member?.email ?? '');
  const params = { id };
  const body = { reason: 'details_wrong' } as const;
  expect((await detail(id, client)).actions).toMatchObject({
    decline: { possible: true },
    reassign: { possible: true },
  });
  expect((await detail(id)).actions).toMatchObject({ decline: { possible: false } });
  expect((await team.manager.call('POST /intros/{id}/decline', { params, body })).status).toBe(409);
  expect((await apiIntro(id)).declined).toBeNull();
  expect((await client.call('POST /intros/{id}/decline', { params, body })).status).toBe(200);
  const declined = await detail(id, client);
  expect(declined).toMatchObject({
    declined: { reason: 'details_wrong' },
    actions: { decline: { possible: false } },
  });
  const to = { member: team.managerId };
  const other = { id: (await createIntro(team.organization.api)).id };
  expect((await client.call('POST /intros/{id}/reassign', { params: other, body: to })).status).toBe(404);
  expect((await client.call('POST /intros/{id}/reassign', { params, body: to })).status).toBe(200);
  expect((await apiIntro(id)).member.id).toBe(team.managerId);
  expect((await client.call('GET /colleagues')).body.colleagues.map((one) => one.id)).not.toContain(memberId);
});
