import type { ConsoleIntro, ConsoleIntroRow, ConsoleQuery } from '@foreword/contract';
import { expect } from 'vitest';
import { introOfEvent } from '../acceptance/support/actions.ts';
import { sleep } from '../harness/index.ts';
import type { ConsoleClient } from './console-client.ts';
import { openTeam } from './team-fixture.ts';

const POLL_MS = 250;
const RECORDED_WITHIN_MS = 60_000;

/** The team fixture, with actions on intros. */
export async function openIntros(settings: Record<string, string> = {}) {
  const team = await openTeam(settings);
  const { organization, api, database } = team;
  // Allows texts at any hour, because the tests may run at night, and texts of simulated recordings.
  await database.sql`insert into delivery_settings (organization_id, environment, texts_from, texts_until, texts_test_recordings, updated_at)
     values (${organization.id}, 'test', 0, 1440, true, now())`;

  const detail = async (id: string, client: ConsoleClient = team.manager): Promise<ConsoleIntro> => {
    const { status, body } = await client.call('GET /intros/{id}', { params: { id } });
    expect(status).toBe(200);
    return body;
  };
  const record = async (id: string): Promise<void> => {
    const { status } = await api.post(`/v1/test_helpers/intros/${id}/record`);
    expect(status).toBe(202);
    // Polls slowly, because the encoder needs the CPU.
    for (let waitedMs = 0; (await detail(id)).status === 'requested'; waitedMs += POLL_MS) {
      if (waitedMs > RECORDED_WITHIN_MS) throw new Error('the video was not ready in time');
      await sleep(POLL_MS);
    }
  };
  return {
    ...team,
    detail,
    record,
    /** The rows of all pages. */
    async readAll(query: ConsoleQuery<'GET /intros'>): Promise<ConsoleIntroRow[]> {
      const rows: ConsoleIntroRow[] = [];
      for (let after: string | null | undefined; after !== null; ) {
        const page = { ...query, ...(after !== undefined && { after }) };
        const { status, body } = await team.manager.call('GET /intros', { query: page });
        expect(status).toBe(200);
        rows.push(...body.rows);
        after = body.next;
      }
      return rows;
    },
    /** As after a recording or a delivery, without the time it takes to encode one. */
    setStatus: (id: string, status: 'ready' | 'sent') =>
      database.sql`update intros set status = ${status}, recorded_at = now(), sent_at = case when ${status} = 'sent' then now() end,
         expires_at = case when ${status} = 'ready' then now() + interval '30 days' end where id = ${id}`,
    /** Creates an intro through an event. `recorded` records the built-in clip. */
    async make(changes: object = {}, { recorded = false } = {}): Promise<string> {
      const { id } = await introOfEvent(api, changes);
      if (recorded) await record(id);
      return id;
    },
    /** Moves the intro's messages into the past. */
    async age(id: string, hours: number): Promise<void> {
      await database.sql`update messages set accepted_at = accepted_at - ${hours} * interval '1 hour', created_at = created_at - ${hours} * interval '1 hour'
         where intro_id = ${id}`;
      await database.sql`update texted_numbers n set texted_at = texted_at - ${hours} * interval '1 hour'
         from all_messages m where m.intro_id = ${id} and m.id = n.message_id`;
    },
  };
}
