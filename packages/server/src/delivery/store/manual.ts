import { sql } from 'kysely';
import type { Queryable } from '../../platform/db.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { forTenant } from '../../tenancy.ts';

/** The intro with everything that decides whether a message about it may be sent. */
const selectIntro = (db: Queryable<Tables>, tenant: Tenant, introId: string) =>
  forTenant(db, tenant)
    .selectFrom('intros', 'i')
    .innerJoin('organizations as o', 'o.id', 'i.organization_id')
    .innerJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 'i.organization_id').onRef('m.id', '=', 'i.member_id'),
    )
    .leftJoin('delivery_settings as s', (on) =>
      on.onRef('s.organization_id', '=', 'i.organization_id').onRef('s.environment', '=', 'i.environment'),
    )
    .select(['i.id', 'i.status', 'i.expires_at', 'i.taken_down_at', 'i.created_at', 'i.responsibility'])
    .select(['i.link_generation', 'i.context', 'i.likeness_withdrawn_at'])
    .select('m.likeness_withdrawn_at as member_withdrawn_at')
    .select(['i.touchpoint_slug', 'i.recipient_phone', 'o.timezone', 'm.active', 's.texts_from', 's.texts_until'])
    .select(sql<boolean>`s.twilio_account is not null`.as('has_own_account'))
    .select(['s.countries', 's.texts_test_recordings', 'i.delivery_error_code'])
    .leftJoin('recordings as video', (on) =>
      on.onRef('video.organization_id', '=', 'i.organization_id').onRef('video.id', '=', 'i.recording_id'),
    )
    .select(sql<boolean>`coalesce(video.simulated, false)`.as('is_test_recording'))
    .select(({ exists, selectFrom }) => [
      sql<Date | null>`(select case kind when 'asked' then created_at end from consents c
        where c.organization_id = i.organization_id and c.environment = i.environment and c.phone = i.recipient_phone
        order by c.id desc limit 1)`.as('asked_at'),
      exists(
        selectFrom('opt_outs as x')
          .select('x.phone')
          .whereRef('x.organization_id', '=', 'i.organization_id')
          .whereRef('x.environment', '=', 'i.environment')
          .whereRef('x.phone', '=', 'i.recipient_phone'),
      )
        .$castTo<boolean>()
        .as('is_opted_out'),
      exists(
        selectFrom('recordings as r')
          .select('r.id')
          .whereRef('r.organization_id', '=', 'i.organization_id')
          .whereRef('r.intro_id', '=', 'i.id')
          .where('r.status', 'in', ['uploaded', 'processing']),
      )
        .$castTo<boolean>()
        .as('is_take_processing'),
    ])
    .leftJoin('flagged_numbers as f', (on) =>
      on
        .onRef('f.organization_id', '=', 'i.organization_id')
        .onRef('f.environment', '=', 'i.environment')
        .onRef('f.phone', '=', 'i.recipient_phone'),
    )
    .select(['f.failure as flagged_as', 'f.flagged_at'])
    .leftJoin('texted_numbers as n', (on) =>
      on
        .onRef('n.organization_id', '=', 'i.organization_id')
        .onRef('n.environment', '=', 'i.environment')
        .onRef('n.phone', '=', 'i.recipient_phone')
        .onRef('n.touchpoint', '=', 'i.touchpoint_slug'),
    )
    .leftJoin('messages as last', (on) =>
      on.onRef('last.organization_id', '=', 'n.organization_id').onRef('last.id', '=', 'n.message_id'),
    )
    .select(['n.texted_at as last_text_at', 'last.status as last_text_status'])
    .where('i.id', '=', introId);

export type IntroToMessage = NonNullable<Awaited<ReturnType<ReturnType<typeof selectIntro>['executeTakeFirst']>>>;

/** With `lock`, concurrent calls for the same intro run one after the other. */
export function findIntroToMessage(
  db: Queryable<Tables>,
  tenant: Tenant,
  introId: string,
  { lock }: { lock: boolean },
): Promise<IntroToMessage | undefined> {
  const query = selectIntro(db, tenant, introId);
  return (lock ? query.forUpdate('i') : query).executeTakeFirst();
}
