/** A member's consent to the use of their likeness, and its withdrawal. */

import type { LIKENESS_OPERATIONS, Likeness } from '@foreword/contract';
import type { Db, Tenant } from '../../db/tenancy.ts';
import { countOpenByMember, countPagesByMember } from '../../intros/index.ts';
import { listColleagues, requireMember } from '../../members/index.ts';
import { closedBefore } from '../../pages/index.ts';
import { ApiError } from '../../platform/errors.ts';
import {
  currentConsentText,
  findRemoval,
  giveConsent,
  listConsents,
  presentLikeness,
  withdrawConsent,
} from '../../privacy/likeness/index.ts';
import { readDays } from '../../privacy/retention/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { requireOrganization } from '../organization.ts';
import type { ConsoleUser } from '../sessions/service.ts';

/** Counting stops here; the page shows "1,000 or more". */
const MAX_COUNT = 1000;

async function readLikeness(db: Db, tenant: Tenant, id: string, now: Date): Promise<Likeness> {
  const member = await requireMember(db, tenant, id);
  const limit = MAX_COUNT;
  const videoDays = await readDays(db, tenant, 'videos', now);
  const [organization, consents, removal, colleagues, open, pages] = await Promise.all([
    requireOrganization(db, tenant),
    listConsents(db, tenant, id),
    findRemoval(db, tenant, id),
    listColleagues(db, tenant, id),
    countOpenByMember(db, tenant, id, limit),
    countPagesByMember(db, tenant, id, { sentAfter: closedBefore(now, videoDays), limit }),
  ]);
  const text = currentConsentText(organization.language, organization.name);
  return {
    ...presentLikeness(member, { consents, removal, text }),
    open_intros: { count: open, at_most: limit },
    live_pages: { count: pages, at_most: limit },
    colleagues,
  };
}

/** The consent of a member to the use of their likeness. */
export function createLikenessHandlers({
  db: { kysely: db },
  clock,
}: Pick<ConsoleDeps, 'db' | 'clock'>): Pick<ConsoleHandlers, keyof typeof LIKENESS_OPERATIONS> {
  async function withdraw({ tenant, memberId: by }: ConsoleUser, memberId: string, to: string | undefined) {
    const withdrawal = { memberId, by, reassignTo: to ?? null };
    await db.transaction().execute((tx) => withdrawConsent(tx, tenant, withdrawal, clock()));
    return readLikeness(db, tenant, memberId, clock());
  }

  return {
    readOwnLikeness: ({ tenant, memberId }) => readLikeness(db, tenant, memberId, clock()),
    async giveLikeness({ tenant, memberId: id }, { body: { version } }) {
      await db.transaction().execute(async (tx) => {
        const { name, language } = await requireOrganization(tx, tenant);
        if (version !== currentConsentText(language, name).version) {
          throw new ApiError('edit_conflict', 'The text has changed. Reload the page and read it again.');
        }
        await giveConsent(tx, tenant, { id, organization: name, language }, clock());
      });
      return readLikeness(db, tenant, id, clock());
    },
    withdrawOwnLikeness: (user, { body }) => withdraw(user, user.memberId, body.to),
    readLikeness: ({ tenant }, { params }) => readLikeness(db, tenant, params.id, clock()),
    withdrawLikeness: (user, { params, body }) => withdraw(user, params.id, body.to),
  };
}
