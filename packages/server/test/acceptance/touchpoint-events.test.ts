import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import {
  APPOINTMENT,
  anEvent,
  createIntro,
  expectError,
  introOfEvent,
  REFERENCE,
  sendEvent,
  sendTogether,
  settled,
} from './support/actions.ts';
import { openService } from './support/service.ts';

const PATH = '/v1/touchpoint-events';
const ANA = ['--first-name', 'Ana', '--last-name', 'Reyes', '--email'];

const fixture = await forFile(openService());
const api = fixture.api;

const newMember = (email: string, ...more: string[]) =>
  fixture.run('member', 'create', '--org', fixture.organization.id, ...ANA, email, ...more);

describe('the response', () => {
  test('to a valid event is 202 with the event object and status accepted', async () => {
    const metadata = { crm_owner: 'west', priority: 2 };
    const sent = anEvent({ reference: REFERENCE, metadata, occurred_at: '2026-03-10T11:15:00.5+02:00' });
    const { status, body } = await api.post(PATH, sent);
    expect(status).toBe(202);
    expect(body).toEqual({
      id: expect.stringMatching(/^evt_/),
      object: 'touchpoint_event',
      status: 'accepted',
      touchpoint: 'project_kickoff',
      reference: REFERENCE,
      metadata,
      occurred_at: '2026-03-10T09:15:00.500Z',
      environment: 'test',
      created_at: expect.any(String),
    });
  });

  test('has null for an omitted reference and for omitted fields of it, and {} for omitted metadata', async () => {
    expect(await sendEvent(api)).toMatchObject({ reference: null, metadata: {} });
    expect((await sendEvent(api, { reference: { id: 'job_1' } })).reference).toEqual({
      source: null,
      type: null,
      id: 'job_1',
    });
    expect((await sendEvent(api, { reference: {} })).reference).toEqual({ source: null, type: null, id: null });
  });
});

describe('the member', () => {
  test('is resolved by id, external_id or case-insensitive email', async () => {
    const { memberId } = fixture.organization;
    for (const member of [{ id: memberId }, { external_id: 'rep_17' }, { email: 'ANA@Acme.Example' }]) {
      expect((await introOfEvent(api, { member })).member).toEqual({
        id: memberId,
        external_id: 'rep_17',
        first_name: 'Ana',
        last_name: 'Ng',
      });
    }
  });

  test('that was deactivated is member_not_found by each of the three', async () => {
    const { id } = await newMember('gone@acme.example', '--external-id', 'gone');
    await sendEvent(api, { member: { id } });
    await fixture.run('member', 'deactivate', id);
    for (const member of [{ id }, { external_id: 'gone' }, { email: 'gone@acme.example' }]) {
      expectError(
        await api.post(PATH, anEvent({ member })),
        422,
        'member_not_found',
        `member.${Object.keys(member)[0]}`,
      );
    }
  });

  test('is member_ambiguous if several have the email, but still found by id and external_id', async () => {
    const first = await newMember('team@acme.example', '--external-id', 'team_1');
    const second = await newMember('Team@acme.example');
    const byEmail = { email: 'team@acme.example' };
    expectError(await api.post(PATH, anEvent({ member: byEmail })), 422, 'member_ambiguous', 'member.email');
    expect((await introOfEvent(api, { member: { external_id: 'team_1' } })).member.id).toBe(first.id);
    expect((await introOfEvent(api, { member: { id: second.id } })).member.external_id).toBeNull();
    await fixture.run('member', 'deactivate', first.id);
    expect((await introOfEvent(api, { member: byEmail })).member.id).toBe(second.id);
  });
});

describe('the touchpoint', () => {
  test('that the organization does not have, such as one of another industry, is touchpoint_not_found', async () => {
    for (const touchpoint of ['appointment_set', 'thank_you']) {
      expectError(await api.post(PATH, anEvent({ touchpoint })), 422, 'touchpoint_not_found', 'touchpoint');
    }
  });

  test('that is turned off is touchpoint_not_found until it is turned on again', async () => {
    const set = (active: string) =>
      fixture.run('touchpoint', 'set', '--org', fixture.organization.id, 'project_complete', '--active', active);
    const event = anEvent({ touchpoint: 'project_complete' });
    await set('false');
    expectError(await api.post(PATH, event, { key: 'crm:job_9:complete' }), 422, 'touchpoint_not_found', 'touchpoint');
    await set('true');
    expect((await api.post(PATH, event, { key: 'crm:job_9:complete' })).status).toBe(202);
  });

  test('whose context is appointment requires context.appointment', async () => {
    const touchpoint = 'new_inspection';
    for (const context of [undefined, {}, { trade: 'roofing' }]) {
      const reply = await api.post(PATH, anEvent({ touchpoint, ...(context && { context }) }));
      expectError(reply, 422, 'validation_failed', 'context.appointment');
    }
    await sendEvent(api, { touchpoint, context: { appointment: APPOINTMENT } });
  });
});

test('a lane may differ from that of the member', async () => {
  const insurer = await newMember('lane@acme.example', '--external-id', 'insurer', '--lane', 'insurance');
  await sendEvent(api, { touchpoint: 'estimate_follow_up', member: { id: insurer.id }, context: { lane: 'retail' } });
});

const setTouchpoint = (slug: string, ...change: string[]) =>
  fixture.run('touchpoint', 'set', '--org', fixture.organization.id, slug, ...change);

describe('after a 202, without further requests', () => {
  test('the event becomes processed, with its intro, touchpoint, member and reference', async () => {
    const receipt = await sendEvent(api, { reference: REFERENCE });
    const event = await settled(api, receipt.id);
    expect(event).toEqual({
      ...receipt,
      status: 'processed',
      resolved: {
        touchpoint: { slug: 'project_kickoff', name: 'Project kickoff' },
        member: { id: fixture.organization.memberId, external_id: 'rep_17' },
      },
      intro: expect.stringMatching(/^int_/),
    });
    expect((await api.get(`/v1/intros/${event.intro}`)).body).toMatchObject({
      status: 'requested',
      touchpoint: 'project_kickoff',
      reference: REFERENCE,
    });
  });

  test('each of many events gets exactly one intro', async () => {
    const event = anEvent({ reference: { id: 'many' } });
    const receipts = await sendTogether(60, (_, options) => api.post('/v1/touchpoint-events', event, options));
    const events = await Promise.all(receipts.map(({ body }) => settled(api, body.id)));
    const listed = (await api.get('/v1/intros?reference_id=many&limit=100')).body.data;
    expect(new Set(events.map(({ intro }) => intro)).size).toBe(60);
    expect(listed.map(({ id }: { id: string }) => id).sort()).toEqual(events.map(({ intro }) => intro).sort());
  });
});

describe('the intro of an event', () => {
  test('has the member, recipient, reference, metadata and context of the event', async () => {
    const metadata = { crm_owner: 'west' };
    const context = { appointment: APPOINTMENT, trade: 'roofing', lane: 'insurance' };
    const intro = await introOfEvent(api, { touchpoint: 'new_inspection', reference: REFERENCE, context, metadata });
    expect(intro).toMatchObject({
      touchpoint: 'new_inspection',
      member: { id: fixture.organization.memberId, external_id: 'rep_17', first_name: 'Ana', last_name: 'Ng' },
      recipient: { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123' },
      reference: REFERENCE,
      metadata,
    });
    expect(intro.context).toEqual({
      title: expect.any(String),
      appointment: { starts_at: '2031-03-12T19:30:00.000Z', timezone: 'America/Chicago' },
      trade: 'roofing',
      lane: 'insurance',
    });
    expect(intro.delivery.recipient_url).toBeNull();
  });

  test("has the touchpoint's script and title, rendered for this recipient, member and appointment", async () => {
    const context = { appointment: APPOINTMENT, trade: 'roofing' };
    const { instructions, context: shown } = await introOfEvent(api, { touchpoint: 'new_inspection', context });
    for (const part of ['Dana', 'Ana', 'Acme Roofing', 'roof', 'Wednesday', '2:30']) {
      expect(instructions.script).toContain(part);
    }
    expect(shown.title).toContain('Dana');
    expect(instructions.script + shown.title).not.toMatch(/\{\{|\{%|undefined|null/);
  });

  test('does not evaluate template syntax in a name', async () => {
    const recipient = { first_name: '{{ organization.name }}', phone: '+14155550123' };
    const { instructions } = await introOfEvent(api, { recipient });
    expect(instructions.script).toContain('{{ organization.name }}');
  });

  test.each(['integration', 'service'])("has the touchpoint's delivery responsibility: %s", async (responsibility) => {
    await setTouchpoint('project_complete', '--delivery', responsibility);
    const { delivery } = await introOfEvent(api, { touchpoint: 'project_complete' });
    expect(delivery).toEqual({
      responsibility,
      status: null,
      recipient_url: null,
      scheduled_for: null,
      reason: null,
      error: null,
    });
  });

  test('keeps the name that its touchpoint had when the event was matched', async () => {
    const { id } = await sendEvent(api, { touchpoint: 'project_update' });
    const before = (await settled(api, id)).resolved;
    await setTouchpoint('project_update', '--name', 'How it is going');
    const { id: laterId } = await sendEvent(api, { touchpoint: 'project_update' });
    const renamed = { slug: 'project_update', name: 'How it is going' };
    expect((await settled(api, laterId)).resolved.touchpoint).toEqual(renamed);
    expect((await api.get(`/v1/events/${id}`)).body.resolved).toEqual(before);
  });
});

describe('POST /v1/events/{id}/retry', () => {
  const retry = (id: string, key?: string) =>
    api.post(`/v1/events/${id}/retry`, undefined, key === undefined ? {} : { key });

  test('processes a failed event again once its cause is gone: the same event and key, one intro, however often it is sent', async () => {
    const recipient = { first_name: 'Dana', phone: '+15005550131' };
    await setTouchpoint('on_my_way', '--delivery', 'service');
    const { id: optedOut } = await createIntro(api, { recipient });
    await api.post(`/v1/test_helpers/intros/${optedOut}/opt_out`);
    const event = anEvent({ touchpoint: 'on_my_way', recipient });
    const { body: receipt } = await api.post('/v1/touchpoint-events', event, { key: 'acme_crm:job_9:on_my_way' });
    expect(await settled(api, receipt.id)).toMatchObject({ status: 'failed', error: { code: 'recipient_opted_out' } });

    const failsAgain = await retry(receipt.id, 'retry:1');
    expect([failsAgain.status, failsAgain.body.status, failsAgain.body.id]).toEqual([202, 'accepted', receipt.id]);
    expect(failsAgain.body.error).toBeUndefined();
    expect((await settled(api, receipt.id)).status).toBe('failed');
    const replay = await retry(receipt.id, 'retry:1');
    expect([replay.status, replay.body, replay.headers.get('idempotent-replayed')]).toEqual([
      202,
      failsAgain.body,
      'true',
    ]);
    expect((await api.get(`/v1/events/${receipt.id}`)).body.status).toBe('failed');

    await api.post(`/v1/test_helpers/intros/${optedOut}/opt_in`);
    const tries = await Promise.all([retry(receipt.id), retry(receipt.id), retry(receipt.id)]);
    expect(tries.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    for (const reply of tries.filter(({ status }) => status === 409)) expectError(reply, 409, 'event_not_failed');
    const processed = await settled(api, receipt.id);
    expect(processed).toMatchObject({ status: 'processed', intro: expect.stringMatching(/^int_/) });
    expectError(await retry(receipt.id), 409, 'event_not_failed');

    const repeated = await api.post('/v1/touchpoint-events', event, { key: 'acme_crm:job_9:on_my_way' });
    expect(repeated.body).toMatchObject({ id: receipt.id, status: 'duplicate' });
  });

  test('beside another retry that fails does not say that the recipient was erased', async () => {
    const { id } = await sendEvent(api);
    await settled(api, id);
    const { sql } = fixture.database;
    // Without an entry in the queue, so that only this test changes it.
    await sql`update touchpoint_events set status = 'accepted', settled_at = null, intro_id = null where id = ${id}`;
    await sql`begin`;
    await sql`lock table touchpoints`;
    const retrying = retry(id);
    const waiting = async () => {
      // A transaction sees the same statistics until then.
      await sql`select pg_stat_clear_snapshot()`;
      return sql`select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%touchpoint_slug%'`;
    };
    await expect.poll(waiting).toHaveLength(1);
    await sql`update touchpoint_events set status = 'failed', settled_at = now(), error_code = 'template_invalid',
      error_message = 'x' where id = ${id}`;
    await sql`commit`;
    const { status, body } = await retrying;
    expect([status, body.error.message]).toEqual([409, 'This event was just retried, and failed again.']);
  });
});

test('an event that cannot be processed fails alone, and not those that were accepted together with it', async () => {
  const { id } = await sendEvent(api);
  await settled(api, id);
  // No request of the API is stored like this one.
  const added = await fixture.database.query<{ id: string; request: { recipient: object } }>(
    `insert into touchpoint_events (organization_id, environment, id, status, touchpoint_id, touchpoint_name, member_id, request, created_at)
     select organization_id, environment, left(id, -3) || 'x' || lpad(n::text, 2, '0'), 'accepted', touchpoint_id, touchpoint_name, member_id,
       case n when 5 then (request::jsonb || '{"recipient":{}}')::json else request end, created_at
     from touchpoint_events cross join generate_series(1, 12) n where id = $1
     returning id, request`,
    [id],
  );
  for (const { id: copy, request } of added) {
    const event = await settled(api, copy);
    expect([event.status, event.error?.code]).toEqual(
      'phone' in request.recipient ? ['processed', undefined] : ['failed', 'processing_failed'],
    );
  }
});

test('a message that cannot be composed fails alone, and not the event that it is about', async () => {
  const zone = (timezone: string) =>
    fixture.database.query('update organizations set timezone = $2 where id = $1', [fixture.organization.id, timezone]);
  await zone('Not/AZone');
  const { intro } = await settled(api, (await sendEvent(api)).id);
  const message = () =>
    fixture.database.query<{ status: string }>('select status from messages where intro_id = $1', [intro]);
  await expect.poll(message, { timeout: 20_000 }).toEqual([{ status: 'failed' }]);
  await zone('America/Chicago');
  expect((await settled(api, (await sendEvent(api)).id)).status).toBe('processed');
});
