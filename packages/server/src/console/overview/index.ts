import type { OVERVIEW_OPERATIONS, OverviewDays } from '@foreword/contract';
import { hasEvents } from '../../events/index.ts';
import { hasIntros } from '../../intros/index.ts';
import { countActive } from '../../members/index.ts';
import { monotonicMs } from '../../platform/clock.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { findConcerns } from './concerns.ts';
import { readFigures } from './figures.ts';
import { createKept } from './kept.ts';
import { readWaiting } from './waiting.ts';

/** Beside the one who made the organization. */
const FIRST_TEAM = 2;

export function createOverviewHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof OVERVIEW_OPERATIONS> {
  const { db } = deps;
  const figures = createKept<Awaited<ReturnType<typeof readFigures>>>(monotonicMs);
  const concerns = createKept<Awaited<ReturnType<typeof findConcerns>>>(monotonicMs);
  return {
    'GET /overview': ({ who, query }) => {
      const days: OverviewDays = query.days;
      return figures.get(`${who.tenant.organizationId} ${days}`, () => readFigures(deps, who.tenant, days));
    },
    'GET /overview/waiting': ({ who }) => readWaiting(deps, who.tenant),
    'GET /overview/issues': async ({ who }) => ({
      issues: await concerns.get(who.tenant.organizationId, () => findConcerns(deps, who.tenant)),
    }),
    async 'GET /overview/first-steps'({ who: { tenant } }) {
      const [members, has_event, has_intro] = await Promise.all([
        countActive(db, tenant, FIRST_TEAM),
        hasEvents(db, tenant),
        hasIntros(db, tenant),
      ]);
      return { has_members: members >= FIRST_TEAM, has_event, has_intro };
    },
  };
}
