import { describe, expect, test } from 'vitest';
import type { TestOrganization } from '../harness/index.ts';
import { forFile } from '../harness/index.ts';
import { anEvent, anIntro, createIntro, expectError, sendEvent, settled } from './support/actions.ts';
import { openService } from './support/service.ts';

/** Tests request objects of `theirs` with the key of `mine`. Both have a rep_17 with the same email. */
const fixture = await forFile(openService());
const mine = fixture.organization;
const theirs = await fixture.newOrganization({ name: 'Second' });
const introId = (await createIntro(theirs.api, { reference: { id: 'theirs' } })).id;
const eventId = (await sendEvent(theirs.api, { reference: { id: 'theirs' } })).id;
await settled(theirs.api, eventId);

describe('an object of another organization', () => {
  test('is 404 not_found on every operation, exactly like an unknown ID', async () => {
    const unknownId = 'int_01kahzv8e1f0rtx5m2q6n9d3bw';
    const calls = ({
      intro,
      event,
      member,
      touchpoint,
    }: Record<'intro' | 'event' | 'member' | 'touchpoint', string>) => [
      mine.api.get(`/v1/intros/${intro}`),
      mine.api.get(`/v1/events/${event}`),
      mine.api.post(`/v1/intros/${intro}/cancel`),
      mine.api.post(`/v1/intros/${intro}/mark_sent`),
      mine.api.post(`/v1/intros/${intro}/retry_recording`),
      mine.api.get(`/v1/members/${member}`),
      mine.api.post(`/v1/members/${member}`, { last_name: 'Taken' }),
      mine.api.post(`/v1/members/${member}/deactivate`),
      mine.api.post(`/v1/members/${member}/reactivate`),
      mine.api.get(`/v1/touchpoints/${touchpoint}`),
      ...['open', 'watch', 'opt_out', 'opt_in', 'expire'].map((action) =>
        mine.api.post(`/v1/test_helpers/intros/${intro}/${action}`),
      ),
      mine.api.post(`/v1/test_helpers/intros/${intro}/fail`, { step: 'recording' }),
    ];
    const [touchpoint] = (await theirs.api.get('/v1/touchpoints')).body.data;
    const before = (await theirs.api.get(`/v1/members/${theirs.memberId}`)).body;
    const ids = { intro: introId, event: eventId, member: theirs.memberId, touchpoint: touchpoint.id };
    const foreign = await Promise.all(calls(ids));
    const unknown = await Promise.all(
      calls({
        intro: unknownId,
        event: unknownId.replace('int_', 'evt_'),
        member: unknownId.replace('int_', 'mem_'),
        touchpoint: unknownId.replace('int_', 'tp_'),
      }),
    );
    for (const [n, reply] of foreign.entries()) {
      expectError(reply, 404, 'not_found');
      expect(reply.body).toEqual(unknown[n]?.body);
    }
    expect((await theirs.api.get(`/v1/intros/${introId}`)).body).toMatchObject({ status: 'requested', version: 1 });
    expect((await theirs.api.get(`/v1/members/${theirs.memberId}`)).body).toEqual(before);
  });

  test('is not listed, and cannot be used as a cursor', async () => {
    expect((await mine.api.get('/v1/intros')).body.data).toEqual([]);
    expect((await mine.api.get('/v1/intros?reference_id=theirs')).body.data).toEqual([]);
    expect((await mine.api.get(`/v1/intros?member=${theirs.memberId}`)).body.data).toEqual([]);
    for (const filter of ['', '?reference_id=theirs', '?touchpoint=project_kickoff', '?status=processed'])
      expect((await mine.api.get(`/v1/events${filter}`)).body.data).toEqual([]);
    const afterEvent = await mine.api.get(`/v1/events?starting_after=${eventId}`);
    expectError(afterEvent, 422, 'validation_failed', 'starting_after');
    const afterIntro = await mine.api.get(`/v1/intros?starting_after=${introId}`);
    expectError(afterIntro, 422, 'validation_failed', 'starting_after');
    const afterMember = await mine.api.get(`/v1/members?starting_after=${theirs.memberId}`);
    expectError(afterMember, 422, 'validation_failed', 'starting_after');
  });

  test('cannot be used as a member, and members of other organizations are not listed', async () => {
    const member = { id: theirs.memberId };
    expectError(await mine.api.post('/v1/intros', anIntro({ member })), 422, 'member_not_found');
    expectError(await mine.api.post('/v1/touchpoint-events', anEvent({ member })), 422, 'member_not_found');
    const ids = (await mine.api.get('/v1/members')).body.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual([mine.memberId]);
  });

  test('shares no touchpoint: IDs differ, and turning one off does not affect the other organization', async () => {
    const idsOf = async ({ api }: TestOrganization) =>
      (await api.get('/v1/touchpoints')).body.data.map(({ id }: { id: string }) => id);
    const [own, foreign] = [await idsOf(mine), await idsOf(theirs)];
    expect(own.filter((id: string) => foreign.includes(id))).toEqual([]);
    await fixture.run('touchpoint', 'set', '--org', theirs.id, 'project_kickoff', '--active', 'false');
    expectError(await theirs.api.post('/v1/touchpoint-events', anEvent()), 422, 'touchpoint_not_found');
    await sendEvent(mine.api);
  });
});

test('the same external_id and email in two organizations belong to two members and are not ambiguous', async () => {
  for (const member of [{ external_id: 'rep_17' }, { email: 'ana@acme.example' }]) {
    expect((await createIntro(mine.api, { member })).member.id).toBe(mine.memberId);
    expect((await createIntro(theirs.api, { member })).member.id).toBe(theirs.memberId);
  }
});

test('a sync with an external_id of another organization creates a member of its own', async () => {
  const rep = { first_name: 'Rosa', last_name: 'Diaz', email: 'rosa@acme.example', external_id: 'crm_1' };
  const [own, foreign] = [await mine.api.post('/v1/members', rep), await theirs.api.post('/v1/members', rep)];
  expect([own.status, foreign.status]).toEqual([200, 200]);
  expect(own.body.id).not.toBe(foreign.body.id);
});

test('the same Idempotency-Key in two organizations creates an intro in each', async () => {
  const key = 'acme_crm:appt_8812:tenancy';
  const own = await mine.api.post('/v1/intros', anIntro(), { key });
  const foreign = await theirs.api.post('/v1/intros', anIntro({ metadata: { b: 2 } }), { key });
  expect([own.status, foreign.status]).toEqual([201, 201]);
  expect(own.body.id).not.toBe(foreign.body.id);
});
