import { describe, expect, test } from 'vitest';
import { sendEvent, settled } from '../acceptance/support/actions.ts';
import { forFile } from '../harness/index.ts';
import { openIntros } from './intros-fixture.ts';

const team = await forFile(openIntros());

describe('a failed event', () => {
  async function failing(): Promise<string> {
    const switchTo = (active: string) =>
      team.database.sql`update touchpoints set active = ${active} where organization_id = ${team.organization.id}
        and slug = ${'project_update'}`;
    const { id } = await sendEvent(team.organization.api, {
      touchpoint: 'project_update',
      member: { external_id: 'rep_17' },
    });
    await settled(team.organization.api, id);
    await team.database
      .sql`update touchpoint_events set status = 'failed', intro_id = null, error_code = 'touchpoint_not_found',
         error_message = 'The touchpoint was turned off before the event was processed.' where id = ${id}`;
    await team.database.sql`delete from intros where event_id = ${id}`;
    await switchTo('true');
    return id;
  }

  test('shows the reason, and creates one intro when it is retried several times at once', async () => {
    const id = await failing();
    const failed = await team.manager.call('GET /events', { query: { status: 'failed' } });
    expect(failed.body.rows).toMatchObject([{ id, error: { code: 'touchpoint_not_found' }, intro_id: null }]);
    const counts = await team.manager.call('GET /intro-counts');
    expect(counts.body.events).toEqual({ accepted: 0, failed: 1 });
    const tries = await Promise.all(
      [1, 2, 3].map(() => team.manager.call('POST /v1/events/{id}/retry', { params: { id } })),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    expect((await settled(team.organization.api, id)).status).toBe('processed');
    const { body } = await team.manager.call('GET /events/{id}', { params: { id } });
    expect(body).toMatchObject({ status: 'processed', error: null, raw: { object: 'touchpoint_event' } });
    const made = await team.database.sql`select 1 from intros where event_id = ${id}`;
    expect(made).toHaveLength(1);
    const again = await team.manager.call('POST /v1/events/{id}/retry', { params: { id } });
    expect([again.status, again.error.code]).toEqual([409, 'event_not_failed']);
  });

  test('says why a retry would fail again, until the cause is fixed', async () => {
    const id = await failing();
    const { id: organization } = team.organization;
    const retry = async () => (await team.manager.call('GET /events/{id}', { params: { id } })).body.retry;
    expect(await retry()).toEqual({ possible: true, blocked_by: null });
    await team.database.sql`update touchpoints set delivery = 'service' where organization_id = ${organization}`;
    await team.database.sql`insert into opt_outs (organization_id, environment, phone, source, opted_out_at)
       select organization_id, environment, request -> 'recipient' ->> 'phone', 'text', now() from touchpoint_events
       where id = ${id}`;
    expect(await retry()).toEqual({ possible: false, blocked_by: 'recipient_opted_out' });
    await team.database.sql`update touchpoints set active = false where organization_id = ${organization}
      and slug = 'project_update'`;
    expect(await retry()).toEqual({ possible: false, blocked_by: 'touchpoint_not_found' });
    await team.database.sql`update touchpoints set active = true where organization_id = ${organization}`;
    await team.database.sql`delete from opt_outs where organization_id = ${organization}`;
    expect(await retry()).toEqual({ possible: true, blocked_by: null });
  });

  test.each([['Dana'], ['reyes'], ['415 555'], ['job_77']])('is found among events by %s', async (q) => {
    const recipient = { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123' };
    const { id } = await sendEvent(team.organization.api, { recipient, reference: { id: 'job_77' } });
    await settled(team.organization.api, id);
    const { body } = await team.manager.call('GET /events', {
      query: { q, touchpoint: 'project_kickoff', member: team.organization.memberId, status: 'processed' },
    });
    expect(body.rows.map((row) => row.id)).toContain(id);
  });
});
