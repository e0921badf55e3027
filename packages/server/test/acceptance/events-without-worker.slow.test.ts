import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { anEvent, listEvents, sendEvent, settled } from './support/actions.ts';
import { openService } from './support/service.ts';

/** A node without a worker accepts events, their preconditions change, and then a worker starts. */
const fixture = await forFile(openService({ FOREWORD_ROLE: 'api' }));
const { api, organization, run } = fixture;
const accepted: Record<string, string> = {};

async function send(name: string, changes: object = {}) {
  const event = anEvent({ reference: { id: name }, ...changes });
  accepted[name] = (await api.post('/v1/touchpoint-events', event, { key: `waiting:${name}` })).body.id;
}

const leaver = ['--first-name', 'Ana', '--last-name', 'Reyes', '--email', 'leaver@acme.example'];
const { id: leaverId } = await run('member', 'create', '--org', organization.id, ...leaver);
await send('member', { member: { id: leaverId } });
await send('touchpoint', { touchpoint: 'project_complete' });
await send('template', { touchpoint: 'project_update' });
await send('valid');
await send('lost');

test('events that are not processed yet are found by every filter', async () => {
  const other = await fixture.newOrganization({ name: 'Second' });
  await sendEvent(other.api, { reference: { id: 'valid' } });
  const ids = Object.values(accepted).toSorted().reverse();
  for (const query of ['', '?status=accepted', '?status=accepted,failed']) {
    expect(await listEvents(api, query)).toEqual(ids);
  }
  expect(await listEvents(api, '?reference_id=valid')).toEqual([accepted.valid]);
  expect(await listEvents(api, '?touchpoint=project_complete')).toEqual([accepted.touchpoint]);
  expect(await listEvents(api, `?status=accepted&starting_after=${ids[0]}&limit=1`)).toEqual([ids[1]]);
  expect(await listEvents(api, '?status=processed,failed')).toEqual([]);
});

describe('an event that can no longer be processed', () => {
  test('does not delay others: they are processed once a worker starts', async () => {
    await run('member', 'deactivate', leaverId);
    await run('touchpoint', 'set', '--org', organization.id, 'project_complete', '--active', 'false');
    // Arrange: commands reject a script that cannot be rendered, so this one is broken in the database.
    await fixture.database.query(
      "update touchpoints set script = '{{ recipient.first_name' where slug = 'project_update'",
    );
    await fixture.newNode({ FOREWORD_ROLE: 'worker' });
    for (const name of ['valid', 'lost']) {
      const event = await settled(api, accepted[name] ?? '');
      expect(event).toMatchObject({ status: 'processed' });
      expect(event).not.toHaveProperty('error');
      expect((await api.get(`/v1/intros?reference_id=${name}`)).body.data).toHaveLength(1);
    }
  });

  test.each([
    ['member', 'member_not_found'],
    ['touchpoint', 'touchpoint_not_found'],
    ['template', 'template_invalid'],
  ])('because of its %s fails with %s and creates no intro', async (name, code) => {
    const event = await settled(api, accepted[name] ?? '');
    expect(event).toMatchObject({ status: 'failed', intro: null, reference: { id: name } });
    expect(event.error).toEqual({ code, message: expect.stringMatching(/\w+ \w+/) });
    expect((await api.get(`/v1/intros?reference_id=${name}`)).body.data).toEqual([]);
  });

  test('keeps its key: a repeat is a duplicate of the failed event and creates nothing', async () => {
    const event = anEvent({ touchpoint: 'project_complete', reference: { id: 'touchpoint' } });
    const repeat = await api.post('/v1/touchpoint-events', event, { key: 'waiting:touchpoint' });
    expect(repeat).toMatchObject({ status: 202, body: { id: accepted.touchpoint, status: 'duplicate' } });
    expect((await api.get(`/v1/events/${accepted.touchpoint}`)).body.status).toBe('failed');
    expect((await api.get('/v1/intros?reference_id=touchpoint')).body.data).toEqual([]);
  });
});
