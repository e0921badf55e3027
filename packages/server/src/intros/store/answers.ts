import type { Transaction } from 'kysely';
import type { IntroAnswerRow, Tables, Tenant } from '../../tables.ts';
import { forTenant } from '../../tenancy.ts';

/** The last answer of the member to the replies of an intro. */
export const findLastAnswer = (
  tx: Transaction<Tables>,
  tenant: Tenant,
  introId: string,
): Promise<IntroAnswerRow | undefined> =>
  forTenant(tx, tenant)
    .selectFrom('intro_answers')
    .selectAll()
    .where('intro_id', '=', introId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();

export async function insertAnswer(
  tx: Transaction<Tables>,
  tenant: Tenant,
  answer: Omit<IntroAnswerRow, 'organization_id' | 'environment'>,
): Promise<void> {
  await forTenant(tx, tenant)
    .insertInto('intro_answers')
    .values({ organization_id: tenant.organizationId, environment: tenant.environment, ...answer })
    .execute();
}
