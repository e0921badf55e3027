import type { Database } from '../../platform/db.ts';
import { idBound } from '../../platform/ids.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { analyze, BUCKET, COUNTS, type OutcomeCounts, SECONDS, type TimeBucket } from './statistics.ts';

/** Listed because the index has the status before the id: PostgreSQL then reads five ranges, and no older intros. */
const STATUSES = ['requested', 'ready', 'sent', 'cancelled', 'expired'];

// Intros with the Spanish script say nothing about the other one, whose versions these are.
const COUNT_BY_SCRIPT = `
select script, bucket, ${COUNTS}, count(*) filter (where replied)::int as replied, sum(seconds)::float8 as seconds
from (
  select width_bucket(touchpoint_version, $6::int[]) as script,
    status, recorded_at, sent_at, opened_at, watched_at, seconds, ${BUCKET} as bucket,
    id in (select intro_id from intro_replies where organization_id = $1 and environment = $2) as replied
  from intros cross join lateral (select ${SECONDS} as seconds) took
  where organization_id = $1 and environment = $2 and touchpoint_slug = $3 and status = any($4) and id >= $5
    and script_language = 'en'
) i
where script > 0
group by script, bucket`;

/** Counts of the intros of one version of a script that were recorded in about the same time. */
export interface ScriptOutcomes extends OutcomeCounts, TimeBucket {
  /** Position in the given list, from 1. */
  readonly script: number;
  readonly replied: number;
}

/** Outcomes of a touchpoint's intros since `from`, by version of the script. `starts` are the versions of the touchpoint that changed it, oldest first. */
export const countByScript = (
  db: Database<Tables>,
  tenant: Tenant,
  touchpoint: {
    readonly slug: string;
    readonly from: Date;
    readonly starts: readonly number[];
  },
): Promise<readonly ScriptOutcomes[]> =>
  analyze<ScriptOutcomes>(db, tenant, COUNT_BY_SCRIPT, [
    touchpoint.slug,
    STATUSES,
    idBound('int', touchpoint.from),
    touchpoint.starts,
  ]);
