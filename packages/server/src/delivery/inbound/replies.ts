import { sql } from 'kysely';
import { findOrganization, testTenant } from '../../organizations/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { optIn, optOut } from '../consent/opt-outs.ts';
import type { Announce } from '../news.ts';
import { readKeyword } from '../queue/rules.ts';
import type { Heard } from '../wording/texts.ts';

/** A text that came back. */
export interface Reply {
  readonly from: string;
  readonly body: string;
  /** Null: it came to a number that organizations share. */
  readonly organizationId: string | null;
}

const PHONE = /^\+[1-9][0-9]{7,14}$/;

interface Writer {
  readonly organizationId: string;
  readonly environment: 'test';
  readonly name: string;
}

/**
 * Whoever texts this number from the common one: those that have, whatever they use now; those that perhaps have; and those
 * that have an intro for it that the service is to bring from there. What an account of their own sends has its own replies.
 */
const WRITERS_OF = (phone: string) => sql<Writer>`
  select w.organization_id as "organizationId", w.environment, o.name
  from (
    select organization_id, environment from messages
    where address = ${phone} and channel = 'text' and accepted_at is not null and not by_own_account
    union
    select n.organization_id, n.environment
    from texted_numbers n
    cross join lateral (
      select by_own_account from messages where organization_id = n.organization_id and id = n.message_id offset 0
    ) m
    where n.phone = ${phone} and not m.by_own_account
    union
    select i.organization_id, i.environment from intros i
    where i.recipient_phone = ${phone} and i.responsibility = 'service' and not exists (
      select 1 from delivery_settings s
      where s.organization_id = i.organization_id and s.environment = i.environment and s.twilio_account is not null
    )
  ) w
  join organizations o on o.id = w.organization_id
  order by 1, 2`;

async function findWriters(db: Database<Tables>, { from, organizationId }: Reply): Promise<readonly Writer[]> {
  if (organizationId === null) return (await WRITERS_OF(from).execute(db.kysely)).rows;
  // The number is the organization's own: what is said to it is said to them, whether or not they have ever texted.
  const organization = await findOrganization(db.kysely, organizationId);
  return organization === null ? [] : [{ ...testTenant(organizationId), name: organization.name }];
}

export interface Replies {
  /** What was understood and heeded, null when it is no keyword. Hearing it twice does nothing more. */
  hear(reply: Reply): Promise<Heard | null>;
}

export function createReplies(deps: { db: Database<Tables>; clock: Clock; announce: Announce }): Replies {
  const { db, clock, announce } = deps;
  return {
    async hear(reply) {
      const keyword = readKeyword(reply.body);
      if (keyword === null || !PHONE.test(reply.from)) return null;
      const writers = await findWriters(db, reply);
      const [only, ...others] = writers;
      const heard = {
        keyword,
        organization: others.length === 0 ? (only?.name ?? null) : null,
        isKnown: only !== undefined,
      };
      if (keyword === 'help') return heard;
      const consent = { phone: reply.from, source: 'text', said: reply.body } as const;
      await db.kysely.transaction().execute(async (tx) => {
        for (const { organizationId, environment } of writers) {
          const tenant: Tenant = { organizationId, environment };
          if (keyword === 'stop') await optOut(announce, tx, tenant, consent, clock());
          else await optIn(tx, tenant, consent, clock());
        }
      });
      return heard;
    },
  };
}
