import type { TouchpointChange, TouchpointDetail } from '@foreword/contract';
import { expect } from 'vitest';
import { openTeam, type Team } from './team-fixture.ts';

/** The team fixture, with actions on touchpoints. */
export interface TouchpointsFixture extends Team {
  create(name: string): Promise<TouchpointDetail>;
  read(slug: string): Promise<TouchpointDetail>;
  historyOf(slug: string): Promise<readonly TouchpointChange[]>;
  orderInApi(): Promise<string[]>;
  /** All touchpoint rows, to check that nothing was written. */
  snapshot(): Promise<unknown>;
}

export async function openTouchpoints(): Promise<TouchpointsFixture> {
  const team = await openTeam();
  const { manager, api, database } = team;
  return {
    ...team,
    async create(name) {
      const { status, body } = await manager.call('POST /touchpoints', { body: { name, context: 'none', lane: null } });
      expect(status).toBe(200);
      return body;
    },
    read: async (slug) => (await manager.call('GET /touchpoints/:slug', { params: { slug } })).body,
    historyOf: async (slug) =>
      (await manager.call('GET /touchpoints/:slug/history', { params: { slug } })).body.changes,
    orderInApi: async () => (await api.get('/v1/touchpoints')).body.data.map(({ slug }: { slug: string }) => slug),
    snapshot: () =>
      database.query(
        `select (select json_agg(t order by id) from touchpoints t) as touchpoints,
           (select json_agg(c order by id) from touchpoint_changes c) as changes`,
      ),
  };
}
