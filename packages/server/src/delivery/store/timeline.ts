import type { Selectable } from 'kysely';
import type { Database } from '../../platform/db.ts';
import type { IntroReassignmentRow, IntroTable, RecordingTable, Tables, Tenant } from '../../tables.ts';
import { forTenant } from '../../tenancy.ts';
import { listIntroMessages, type MessageRow } from './messages.ts';

export interface TimelineRows {
  readonly intro: Selectable<IntroTable>;
  readonly reassignments: readonly IntroReassignmentRow[];
  readonly recordings: readonly Selectable<RecordingTable>[];
  readonly messages: readonly MessageRow[];
}

/** Null if the tenant has no such intro. */
export async function readTimelineRows(
  { kysely }: Database<Tables>,
  tenant: Tenant,
  introId: string,
): Promise<TimelineRows | null> {
  const own = forTenant(kysely, tenant);
  const intro = await own.selectFrom('intros').selectAll().where('id', '=', introId).executeTakeFirst();
  if (intro === undefined) return null;
  const [reassignments, recordings, messages] = await Promise.all([
    own.selectFrom('intro_reassignments').selectAll().where('intro_id', '=', introId).orderBy('generation').execute(),
    own.selectFrom('recordings').selectAll().where('intro_id', '=', introId).orderBy('id').execute(),
    listIntroMessages(kysely, tenant, introId),
  ]);
  return { intro, reassignments, recordings, messages };
}
