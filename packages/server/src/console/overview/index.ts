import type { OVERVIEW_OPERATIONS, OverviewDays } from '@foreword/contract';
import { hasEvents } from '../../events/index.ts';
import { hasIntros } from '../../intros/index.ts';
import { countActive } from '../../members/index.ts';
import { monotonicMs } from '../../platform/clock.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { createCache } from './cached.ts';
import { findIssues } from './issues.ts';
import { readStatistics } from './statistics.ts';
import { readWaiting } from './waiting.ts';

/** The owner and one more member. */
const FIRST_TEAM = 2;

export function createOverviewHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof OVERVIEW_OPERATIONS> {
  const { db } = deps;
  const statistics = createCache<Awaited<ReturnType<typeof readStatistics>>>(monotonicMs);
  const issues = createCache<Awaited<ReturnType<typeof findIssues>>>(monotonicMs);
  return {
    'GET /overview': ({ user, query }) => {
      const days: OverviewDays = query.days;
      return statistics.get(`${user.tenant.organizationId} ${days}`, () => readStatistics(deps, user.tenant, days));
    },
    'GET /overview/waiting': ({ user }) => readWaiting(deps, user.tenant),
    'GET /overview/issues': async ({ user }) => ({
      issues: await issues.get(user.tenant.organizationId, () => findIssues(deps, user.tenant)),
    }),
    async 'GET /overview/first-steps'({ user: { tenant } }) {
      const [members, has_event, has_intro] = await Promise.all([
        countActive(db, tenant, FIRST_TEAM),
        hasEvents(db, tenant),
        hasIntros(db, tenant),
      ]);
      return { has_members: members >= FIRST_TEAM, has_event, has_intro };
    },
  };
}
