import { sql } from 'kysely';
import type { Queryable } from '../platform/db.ts';
import type { Tables } from '../tables.ts';
import { MAX_PREVIEW_ATTEMPTS } from './rules.ts';
import type { RecordingKey, RecordingRow } from './store.ts';

/** Takes that are shown without the preview they should have by now. Each time counts, so that it ends some day. */
export async function takeUnpreviewed(
  db: Queryable<Tables>,
  times: { now: Date; wantedSince: Date; overdueBefore: Date; failedBefore: Date },
  limit: number,
): Promise<RecordingKey[]> {
  const { rows } = await sql<RecordingKey>`
    update recordings r set attempts = r.attempts + 1, touched_at = ${times.now}
    from (
      select t.organization_id, t.id from recordings t
      join intros i on i.organization_id = t.organization_id and i.id = t.intro_id and i.recording_id = t.id
      where t.status = 'ready' and not t.has_preview and t.attempts < ${sql.lit(MAX_PREVIEW_ATTEMPTS)}
        and t.touched_at between ${times.wantedSince} and ${times.overdueBefore} and t.ready_at > ${times.wantedSince}
        and (t.attempts = 0 or t.touched_at < ${times.failedBefore}) and i.status in ('ready', 'sent')
      order by t.touched_at limit ${limit} for update of t skip locked
    ) s
    where r.organization_id = s.organization_id and r.id = s.id
    returning r.organization_id, r.environment, r.id`.execute(db);
  return rows;
}

/** Of those above. Until somebody asked for it, whoever made the video is still at its preview. */
export const lacksPreview = ({ status, has_preview, attempts }: RecordingRow): boolean =>
  status === 'ready' && !has_preview && attempts > 0;
