import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { APPOINTMENT, anEvent, expectError, introOfEvent, REFERENCE, sendEvent } from './support/actions.ts';
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
