import type { TouchpointChange, TouchpointDetail } from '@foreword/contract';
import { expect } from 'vitest';
import { openTeam } from './team-fixture.ts';

/** The team fixture, with actions on touchpoints. */
export async function openTouchpoints() {
  const team = await openTeam();
  const { manager, api, database } = team;
  return {
    ...team,
    async create(name: string): Promise<TouchpointDetail> {
      const { status, body } = await manager.call('POST /touchpoints', { body: { name, context: 'none', lane: null } });
      expect(status).toBe(200);
      return body;
    },
    save: (touchpoint: Pick<TouchpointDetail, 'slug' | 'version'>, change: object, client = manager) =>
      client.call('POST /touchpoints/{slug}', {
        params: { slug: touchpoint.slug },
        body: { version: touchpoint.version, ...change },
      }),
    undo: (touchpoint: Pick<TouchpointDetail, 'slug' | 'version'>, change = '', client = manager) =>
      client.call('POST /touchpoints/{slug}/undo', {
        params: { slug: touchpoint.slug },
        body: { change, version: touchpoint.version },
      }),
    setActive: (slug: string, active: boolean) =>
      manager.call('POST /touchpoints/{slug}', { params: { slug }, body: { active } }),
    read: async (slug: string): Promise<TouchpointDetail> =>
      (await manager.call('GET /touchpoints/{slug}', { params: { slug } })).body,
    historyOf: async (slug: string): Promise<readonly TouchpointChange[]> =>
      (await manager.call('GET /touchpoints/{slug}/history', { params: { slug } })).body.changes,
    orderInApi: async (): Promise<string[]> =>
      (await api.get('/v1/touchpoints')).body.data.map(({ slug }: { slug: string }) => slug),
    /** All touchpoint rows, to check that nothing was written. */
    snapshot: () =>
      database.query(
        `select (select json_agg(t order by id) from touchpoints t) as touchpoints,
           (select json_agg(c order by id) from touchpoint_changes c) as changes`,
      ),
  };
}
