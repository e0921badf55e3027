import type { ConsoleIntro } from '@foreword/contract';
import { expect } from 'vitest';
import { introOfEvent } from '../acceptance/support/actions.ts';
import { sleep } from '../harness/index.ts';
import type { ConsoleClient } from './support.ts';
import { openTeamStage, type TeamStage } from './team.ts';

const LOOK_AGAIN_MS = 250;
const RECORDED_WITHIN_MS = 60_000;

/** The team's stage, with what is done to intros. */
export interface IntrosStage extends TeamStage {
  /** Of an event; recorded by the built-in clip when asked for. */
  make(changes?: object, options?: { recorded?: boolean }): Promise<string>;
  record(id: string): Promise<void>;
  detail(id: string, client?: ConsoleClient): Promise<ConsoleIntro>;
  /** Moves what was said to people about an intro this far into the past. */
  age(id: string, hours: number): Promise<void>;
}

export async function openIntrosStage(settings: Record<string, string> = {}): Promise<IntrosStage> {
  const stage = await openTeamStage({ RATE_LIMIT: 'off', ...settings });
  const { org, database } = stage;
  // Whatever the hour at which the tests run, texts may go.
  await database.query(
    `insert into delivery_settings (organization_id, environment, texts_from, texts_until, updated_at)
     values ($1, 'test', 0, 1440, now())`,
    [org.id],
  );

  const detail: IntrosStage['detail'] = async (id, client = stage.manager) => {
    const { status, body } = await client.call('GET /intros/:id', { params: { id } });
    expect(status).toBe(200);
    return body;
  };
  const record: IntrosStage['record'] = async (id) => {
    const { status } = await org.api.post(`/v1/test_helpers/intros/${id}/record`);
    expect(status).toBe(202);
    // Asked now and then: an encoder needs the machine.
    for (let waitedMs = 0; (await detail(id)).status === 'requested'; waitedMs += LOOK_AGAIN_MS) {
      if (waitedMs > RECORDED_WITHIN_MS) throw new Error('the video was not ready in time');
      await sleep(LOOK_AGAIN_MS);
    }
  };
  return {
    ...stage,
    detail,
    record,
    async make(changes = {}, { recorded = false } = {}) {
      const { id } = await introOfEvent(org.api, changes);
      if (recorded) await record(id);
      return id;
    },
    async age(id, hours) {
      await database.query(
        `update messages set accepted_at = accepted_at - $2 * interval '1 hour', created_at = created_at - $2 * interval '1 hour'
         where intro_id = $1`,
        [id, hours],
      );
      await database.query(
        `update texted_numbers n set texted_at = texted_at - $2 * interval '1 hour'
         from messages m where m.intro_id = $1 and m.id = n.message_id`,
        [id, hours],
      );
    },
  };
}
