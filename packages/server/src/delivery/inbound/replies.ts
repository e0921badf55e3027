import { findOrganization, testTenant } from '../../organizations/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db.ts';
import type { Tables, Tenant } from '../../tables.ts';
import type { TestClocks } from '../../test-clock/index.ts';
import type { ErasedOptOuts } from '../consent/erased.ts';
import { optIn, optOut } from '../consent/opt-outs.ts';
import type { PublishEvents } from '../queue/outcomes.ts';
import { findReaderLanguage, findSenders, type Sender } from '../store/consents.ts';
import { insertReceivedText } from '../store/received-texts.ts';
import type { KeywordReply } from '../wording/texts.ts';
import { type Keyword, readKeyword } from './rules.ts';

/** A text message sent to one of our numbers. */
export interface Reply {
  readonly from: string;
  readonly body: string;
  /** The keyword that the carrier recognized, which may be one of the account's own; null or undefined: none. */
  readonly keyword?: Keyword | null;
  /** Null: it was sent to the number that organizations share. */
  readonly organizationId: string | null;
  /** Identifies the text if its carrier may report it again. */
  readonly reported?: { readonly carrier: string; readonly id: string };
}

const PHONE = /^\+[1-9][0-9]{7,14}$/;

async function findOrganizations(db: Database<Tables>, { from, organizationId }: Reply): Promise<readonly Sender[]> {
  if (organizationId === null) return findSenders(db, from);
  // A reply to an organization's own number concerns that organization, even if it never texted the sender.
  const organization = await findOrganization(db.kysely, organizationId);
  return organization === null ? [] : [{ ...testTenant(organizationId), name: organization.name }];
}

export interface Replies {
  /**
   * Applies a keyword. Null if the reply is not a keyword, or was reported before. Without `reported`, a repeat is applied again,
   * which has no effect unless the other keyword came in between.
   */
  receive(reply: Reply): Promise<KeywordReply | null>;
}

export function createReplies(deps: {
  db: Database<Tables>;
  clock: Clock;
  testClocks: TestClocks;
  publish: PublishEvents;
  erasedOptOuts: ErasedOptOuts;
}): Replies {
  const { db, clock, testClocks, publish, erasedOptOuts } = deps;
  return {
    async receive(reply) {
      const known = reply.keyword ? { keyword: reply.keyword, language: null } : null;
      const read = readKeyword(reply.body) ?? known;
      if (read === null || !PHONE.test(reply.from)) return null;
      const { keyword } = read;
      const organizations = await findOrganizations(db, reply);
      const [only, ...others] = organizations;
      const organization = others.length === 0 ? (only?.name ?? null) : null;
      const language = read.language ?? (await findReaderLanguage(db, reply.from, organizations));
      const received = { keyword, language, organization, isKnown: only !== undefined };
      const { reported } = reply;
      const consent = { phone: reply.from, source: 'text', said: reply.body } as const;
      const isFirst = await db.kysely.transaction().execute(async (tx) => {
        if (reported !== undefined && !(await insertReceivedText(tx, reported, clock()))) return false;
        if (keyword === 'help') return true;
        for (const { organizationId, environment } of organizations) {
          const tenant: Tenant = { organizationId, environment };
          const now = testClocks.now(tenant);
          if (keyword === 'stop') await optOut(publish, tx, tenant, consent, now);
          else await optIn(erasedOptOuts, tx, tenant, consent, now);
        }
        return true;
      });
      return isFirst ? received : null;
    },
  };
}
