import { searchDirectory } from '../../members/index.ts';
import { listTouchpoints } from '../../touchpoints/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';

/** More would not fit the list. Other members are found by searching. */
const MAX_MEMBERS = 20;

export function createFirstStepsHandlers({ db: { kysely: db } }: ConsoleDeps): Pick<ConsoleHandlers, 'readFirstSteps'> {
  return {
    async readFirstSteps({ tenant }, { query }) {
      const wanted = { q: query.member, active: true, lane: undefined, role: undefined, sharesEmail: false };
      const [touchpoints, members] = await Promise.all([
        listTouchpoints(db, tenant),
        searchDirectory(db, tenant, wanted, { limit: MAX_MEMBERS, after: undefined }),
      ]);
      return {
        touchpoints: touchpoints.map(({ slug, name, context, active, delivery }) => ({
          slug,
          name,
          context,
          active,
          delivery,
        })),
        members: members.map(({ id, external_id, first_name, last_name, email }) => ({
          id,
          external_id,
          first_name,
          last_name,
          email,
        })),
        limit: MAX_MEMBERS,
      };
    },
  };
}
