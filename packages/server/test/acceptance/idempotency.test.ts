import { describe, expect, test } from 'vitest';
import { createApi, forFile, nextKey, type Reply } from '../harness/index.ts';
import { anEvent, anIntro, createIntro, expectError, sendTogether, settled } from './support/actions.ts';
import { openService } from './support/service.ts';

const EVENTS = '/v1/touchpoint-events';
const INTROS = '/v1/intros';

const fixture = await forFile(openService());
const api = fixture.api;

const isReplay = (reply: Reply) => reply.headers.get('idempotent-replayed') === 'true';
const introsOf = async (referenceId: string) =>
  (await api.get(`${INTROS}?reference_id=${referenceId}&limit=100`)).body.data;

describe('the same key with the same body', () => {
  test('returns 202 with the original event and status duplicate, and creates nothing', async () => {
    const key = 'acme_crm:appt_8812:project_kickoff';
    const event = anEvent({ reference: { id: 'once' } });
    const first = await api.post(EVENTS, event, { key });
    const repeat = await api.post(EVENTS, event, { key });
    expect([isReplay(first), isReplay(repeat)]).toEqual([false, true]);
    expect(repeat.status).toBe(202);
    expect(repeat.body).toEqual({ ...first.body, status: 'duplicate' });
    await settled(api, first.body.id);
    expect((await api.post(EVENTS, event, { key })).body).toEqual(repeat.body);
    expect(await introsOf('once')).toHaveLength(1);
  });

  test('returns the original 201 and intro, even after the intro has changed', async () => {
    const key = nextKey();
    const first = await api.post(INTROS, anIntro({ reference: { id: 'twice' } }), { key });
    await api.post(`${INTROS}/${first.body.id}/cancel`);
    const repeat = await api.post(INTROS, anIntro({ reference: { id: 'twice' } }), { key });
    expect([isReplay(first), isReplay(repeat)]).toEqual([false, true]);
    expect({ status: repeat.status, body: repeat.body }).toEqual({ status: 201, body: first.body });
    expect(await introsOf('twice')).toHaveLength(1);
  });

  test.each(['cancel', 'mark_sent'])('returns the original response of %s', async (action) => {
    const { id } = await createIntro(api);
    // Arrange: a recording would make the intro ready.
    await fixture.database.sql`update intros set status = 'ready', recorded_at = now() where id = ${id}`;
    const key = nextKey();
    const first = await api.post(`${INTROS}/${id}/${action}`, undefined, { key });
    const repeat = await api.post(`${INTROS}/${id}/${action}`, {}, { key });
    expect([isReplay(first), isReplay(repeat)]).toEqual([false, true]);
    expect({ status: repeat.status, body: repeat.body }).toEqual({ status: 200, body: first.body });
  });

  test('returns the original even if the touchpoint, the member or a name has changed', async () => {
    const { id: organizationId } = fixture.organization;
    const newcomer = ['--first-name', 'Ana', '--last-name', 'Reyes', '--email', 'leaver@acme.example'];
    const { id: memberId } = await fixture.run('member', 'create', '--org', organizationId, ...newcomer);
    const event = anEvent({ touchpoint: 'project_complete', member: { id: memberId } });
    const intro = anIntro({ member: { id: memberId } });
    const sendEvent = () => api.post(EVENTS, event, { key: 'changed:event' });
    const sendIntro = () => api.post(INTROS, intro, { key: 'changed:intro' });
    const [firstEvent, firstIntro] = [await sendEvent(), await sendIntro()];
    await fixture.run('touchpoint', 'set', '--org', organizationId, 'project_complete', '--active', 'false');
    await fixture.run('member', 'deactivate', memberId);
    // Arrange: only the console can rename members.
    await fixture.database.sql`update members set first_name = 'Reyes' where id = ${memberId}`;
    expect((await sendEvent()).body).toEqual({ ...firstEvent.body, status: 'duplicate' });
    expect((await sendIntro()).body).toEqual(firstIntro.body);
  });

  test('returns the original to another API key of the organization', async () => {
    const first = await api.post(INTROS, anIntro(), { key: 'shared' });
    const { key } = await fixture.run('key', 'create', '--org', fixture.organization.id, '--name', 'Second');
    const other = fixture.published.checked(createApi(fixture.service.url, key));
    expect((await other.post(INTROS, anIntro(), { key: 'shared' })).body).toEqual(first.body);
  });
});

describe('the same key with a different request', () => {
  test('a different body is 409 idempotency_conflict, and the first result stays', async () => {
    const reference = { id: 'conflict' };
    const first = await api.post(INTROS, anIntro({ reference }), { key: 'conflict' });
    const changes = [{ metadata: {} }, { metadata: { a: 1 } }, { delivery: { responsibility: 'integration' } }];
    for (const change of changes) {
      const reply = await api.post(INTROS, anIntro({ reference, ...change }), { key: 'conflict' });
      expectError(reply, 409, 'idempotency_conflict');
    }
    expect(await introsOf('conflict')).toHaveLength(1);
    expect((await api.post(INTROS, anIntro({ reference }), { key: 'conflict' })).body).toEqual(first.body);
    await api.post(EVENTS, anEvent(), { key: 'conflict:event' });
    const other = await api.post(EVENTS, anEvent({ occurred_at: '2026-03-10T09:15:01Z' }), { key: 'conflict:event' });
    expectError(other, 409, 'idempotency_conflict');
  });

  test('another operation, or another intro, is 409 idempotency_conflict', async () => {
    const [one, two] = [await createIntro(api), await createIntro(api)];
    const calls: Record<string, (key: string) => Promise<Reply>> = {
      event: (key) => api.post(EVENTS, anEvent(), { key }),
      intro: (key) => api.post(INTROS, anIntro(), { key }),
      cancel: (key) => api.post(`${INTROS}/${one.id}/cancel`, undefined, { key }),
      'cancel another': (key) => api.post(`${INTROS}/${two.id}/cancel`, undefined, { key }),
    };
    for (const [name, call] of Object.entries(calls)) {
      expect((await call(`across ${name}`)).status).toBeLessThan(300);
      for (const [other, otherCall] of Object.entries(calls)) {
        if (other !== name) expectError(await otherCall(`across ${name}`), 409, 'idempotency_conflict');
      }
    }
  });
});

test('a key is bound only by a 2xx: after any 4xx, it accepts the corrected body', async () => {
  const wrong = [
    anEvent({ touchpoint: 'no_such' }),
    anEvent({ member: { external_id: 'unknown' } }),
    anEvent({ recipient: { first_name: 'Dana', phone: '415' } }),
    anEvent({ touchpoint: 'new_inspection' }),
  ];
  for (const body of wrong) expect((await api.post(EVENTS, body, { key: 'corrected' })).status).toBe(422);
  const right = await api.post(EVENTS, anEvent(), { key: 'corrected' });
  expect(right.body.status).toBe('accepted');
  const lost = '/v1/intros/int_01kahzv8e1f0rtx5m2q6n9d3bw/cancel';
  expectError(await api.post(lost, undefined, { key: 'corrected:404' }), 404, 'not_found');
  expect((await api.post(INTROS, anIntro(), { key: 'corrected:404' })).status).toBe(201);
});

describe('concurrent requests', () => {
  test('fifty with one key create one event, and exactly one is not a replay', async () => {
    const event = anEvent({ reference: { id: 'fifty' } });
    const replies = await sendTogether(50, () => api.post(EVENTS, event, { key: 'fifty' }));
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(replies.filter(({ body }) => body.status === 'accepted')).toHaveLength(1);
    expect(replies.filter(isReplay)).toHaveLength(49);
    await settled(api, replies[0]?.body.id);
    expect(await introsOf('fifty')).toHaveLength(1);
  });

  test('fifty with one key and two bodies: one body wins, and the other is always a conflict', async () => {
    const send = (n: number) => api.post(INTROS, anIntro({ reference: { id: `body_${n % 2}` } }), { key: 'race' });
    const replies = await sendTogether(50, send);
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(25).fill(201), ...Array(25).fill(409)]);
    expect((await introsOf('body_0')).length + (await introsOf('body_1')).length).toBe(1);
  });

  test('ten cancels with one key: one takes effect, and nine replay its response', async () => {
    const { id } = await createIntro(api);
    const replies = await sendTogether(10, () => api.post(`${INTROS}/${id}/cancel`, undefined, { key: 'ten cancels' }));
    expect(replies.filter(isReplay)).toHaveLength(9);
    for (const { body } of replies) expect(body).toEqual(replies[0]?.body);
  });
});

test('a key is 1 to 255 printable ASCII characters and case-sensitive', async () => {
  const first = await api.post(INTROS, anIntro(), { key: 'k'.repeat(255) });
  const second = await api.post(INTROS, anIntro(), { key: 'K'.repeat(255) });
  expect(second.body.id).not.toBe(first.body.id);
  expect((await api.post(INTROS, anIntro(), { key: '!"#$%&()*+,-./:;<=>?@[]^_`{|}~ 0' })).status).toBe(201);
});
