import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, createApi, type Service } from '../harness/index.ts';
import { anEvent, listEvents, sendEvent, settled } from './support/actions.ts';
import { openService, type ServiceFixture } from './support/service.ts';

describe('an event that can no longer be processed', () => {
  let acceptingApi: Api;
  let worker: Service;
  let waiting: ServiceFixture;
  const accepted: Record<string, string> = {};

  /** A node without a worker accepts events, their preconditions change, and then a worker starts. */
  beforeAll(async () => {
    waiting = await openService({ FOREWORD_ROLE: 'api' });
    acceptingApi = waiting.api;
    const { id: organizationId } = waiting.organization;
    const leaver = ['--first-name', 'Ana', '--last-name', 'Reyes', '--email', 'leaver@acme.example'];
    const { id: leaverId } = await waiting.run('member', 'create', '--org', organizationId, ...leaver);
    const send = async (name: string, changes: object) => {
      const event = anEvent({ reference: { id: name }, ...changes });
      accepted[name] = (await acceptingApi.post('/v1/touchpoint-events', event, { key: `waiting:${name}` })).body.id;
    };
    await send('member', { member: { id: leaverId } });
    await send('touchpoint', { touchpoint: 'project_complete' });
    await send('template', { touchpoint: 'project_update' });
    await send('valid', {});
    await send('lost', {});
    for (const id of Object.values(accepted)) {
      expect((await acceptingApi.get(`/v1/events/${id}`)).body).toMatchObject({ status: 'accepted', intro: null });
    }
    await waiting.run('member', 'deactivate', leaverId);
    await waiting.run('touchpoint', 'set', '--org', organizationId, 'project_complete', '--active', 'false');
    // Arrange: commands reject a script that cannot be rendered, so this one is broken in the database.
    await waiting.database.query(
      "update touchpoints set script = '{{ recipient.first_name' where slug = 'project_update'",
    );
    // Arrange: a crash lost the job that would have woken a worker.
    await waiting.database.query("delete from pgboss.job where name = 'process-events'");
    worker = await waiting.newNode({ FOREWORD_ROLE: 'worker' });
  });
  afterAll(() => waiting.close());

  test.each([
    ['member', 'member_not_found'],
    ['touchpoint', 'touchpoint_not_found'],
    ['template', 'template_invalid'],
  ])('because of its %s fails with %s and creates no intro', async (name, code) => {
    const event = await settled(acceptingApi, accepted[name] ?? '');
    expect(event).toMatchObject({ status: 'failed', intro: null, reference: { id: name } });
    expect(event.error).toEqual({ code, message: expect.stringMatching(/\w+ \w+/) });
    expect((await acceptingApi.get(`/v1/intros?reference_id=${name}`)).body.data).toEqual([]);
  });

  test('does not delay others: a valid event in the same batch is processed without an error', async () => {
    const event = await settled(acceptingApi, accepted.valid ?? '');
    expect(event.status).toBe('processed');
    expect(event).not.toHaveProperty('error');
  });

  test('because its job was lost is found by the sweep', async () => {
    const event = await settled(acceptingApi, accepted.lost ?? '');
    expect(event.status).toBe('processed');
    expect((await acceptingApi.get('/v1/intros?reference_id=lost')).body.data).toHaveLength(1);
  });

  test('keeps its key: a repeat is a duplicate of the failed event and creates nothing', async () => {
    const event = anEvent({ touchpoint: 'project_complete', reference: { id: 'touchpoint' } });
    const repeat = await acceptingApi.post('/v1/touchpoint-events', event, { key: 'waiting:touchpoint' });
    expect(repeat.status).toBe(202);
    expect(repeat.body).toMatchObject({ id: accepted.touchpoint, status: 'duplicate' });
    expect((await acceptingApi.get(`/v1/events/${accepted.touchpoint}`)).body.status).toBe('failed');
    expect((await acceptingApi.get('/v1/intros?reference_id=touchpoint')).body.data).toEqual([]);
  });

  test('a node with only the worker role does not serve the API', async () => {
    const reply = await createApi(worker.url, waiting.organization.key).get('/v1/intros');
    expect(reply.status).toBe(404);
  });
});

test('events that are not processed yet are found by every filter', async () => {
  const waiting = await openService({ FOREWORD_ROLE: 'api' });
  const list = (query: string) => listEvents(waiting.api, query);
  try {
    const sent: string[] = [];
    for (const touchpoint of ['project_kickoff', 'project_complete', 'project_kickoff'])
      sent.push((await sendEvent(waiting.api, { touchpoint, reference: { id: 'job_1' } })).id);
    const ids = sent.toSorted().reverse();
    const other = await waiting.newOrganization({ name: 'Second' });
    await sendEvent(other.api, { reference: { id: 'job_1' } });
    for (const query of ['', '?status=accepted', '?status=accepted,failed', '?reference_id=job_1'])
      expect(await list(query)).toEqual(ids);
    expect(await list('?touchpoint=project_complete')).toEqual([sent[1]]);
    expect(await list(`?status=accepted&starting_after=${ids[0]}&limit=1`)).toEqual([ids[1]]);
    expect(await list('?status=processed,failed')).toEqual([]);
  } finally {
    await waiting.close();
  }
});
