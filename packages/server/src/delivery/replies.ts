import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Tables, Tenant } from '../tables.ts';
import type { Announce } from './news.ts';
import { optIn, optOut } from './opt-outs.ts';
import { type Keyword, readKeyword } from './rules.ts';

/** A text that came back. */
export interface Reply {
  readonly from: string;
  readonly body: string;
  /** Null: it came to a number that organizations share. */
  readonly organizationId: string | null;
}

const PHONE = /^\+[1-9][0-9]{7,14}$/;

/** Whoever texted this number from there. Organizations with an account of their own have their own replies. */
function findWriters(db: Database<Tables>, { from, organizationId }: Reply): Promise<Tenant[]> {
  let query = db.kysely
    .selectFrom('texted_numbers as t')
    .select(['t.organization_id as organizationId', 't.environment'])
    .distinct()
    .where('t.phone', '=', from);
  query =
    organizationId === null
      ? query.where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('delivery_settings as s')
                .select('s.organization_id')
                .whereRef('s.organization_id', '=', 't.organization_id')
                .whereRef('s.environment', '=', 't.environment')
                .where('s.twilio_account', 'is not', null),
            ),
          ),
        )
      : query.where('t.organization_id', '=', organizationId);
  return query.execute();
}

export interface Replies {
  /** The keyword that was understood and heeded, else null. Hearing it twice does nothing more. */
  hear(reply: Reply): Promise<Keyword | null>;
}

export function createReplies(deps: { db: Database<Tables>; clock: Clock; announce: Announce }): Replies {
  const { db, clock, announce } = deps;
  return {
    async hear(reply) {
      const keyword = readKeyword(reply.body);
      if (keyword === null || !PHONE.test(reply.from)) return null;
      if (keyword === 'help') return keyword;
      const writers = await findWriters(db, reply);
      const consent = { phone: reply.from, source: 'text', said: reply.body } as const;
      await db.kysely.transaction().execute(async (tx) => {
        for (const tenant of writers) {
          if (keyword === 'stop') await optOut(announce, tx, tenant, consent, clock());
          else await optIn(tx, tenant, consent, clock());
        }
      });
      return keyword;
    },
  };
}
