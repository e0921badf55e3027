import { DAY_MS, type ScriptResults, type ScriptVersion } from '@foreword/contract';
import type { Row, Tenant } from '../../db/tenancy.ts';
import { countByScript, type ScriptOutcomes } from '../../intros/index.ts';
import { listScriptChanges, type ScriptChangeRow } from '../../touchpoints/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { addUp, groupBy, recordingTimes } from '../overview/rules.ts';
import { withTimeoutError } from '../overview/statistics.ts';

/** Older results say little about today's recipients, and more intros would take longer to count. */
const DAYS_COUNTED = 365;
const VERSIONS_SHOWN = 20;
/** Every intro of the first version was created later. */
const FIRST_VERSION = 1;

/** The script before the oldest listed change, as a version without an author and a start. */
const firstVersion = (touchpoint: Row<'touchpoints'>, changes: readonly ScriptChangeRow[]) => ({
  number: 1,
  from: null,
  script: changes.at(-1)?.before ?? touchpoint.script,
  previous: null,
  by: null,
});

const changedVersion = (change: ScriptChangeRow) => ({
  number: change.number,
  from: change.created_at.toISOString(),
  script: change.after,
  previous: change.before,
  by: change.member_id === null ? null : { id: change.member_id, name: `${change.first_name} ${change.last_name}` },
});

function resultsOf(rows: readonly ScriptOutcomes[]) {
  const { requested, recorded, sent, opened, watched } = addUp(rows);
  const replied = rows.reduce((sum, row) => sum + row.replied, 0);
  return { requested, recorded, sent, opened, watched, replied, median_ms: recordingTimes(rows).median_ms };
}

/** Results of the newest versions of a touchpoint's script. */
export async function readScriptResults(
  { db, reportDb, clock }: Pick<ConsoleDeps, 'db' | 'reportDb' | 'clock'>,
  tenant: Tenant,
  touchpoint: Row<'touchpoints'>,
): Promise<ScriptResults> {
  const changes = await listScriptChanges(db.kysely, tenant, touchpoint.id, VERSIONS_SHOWN);
  // Each change leads to one version; the first version comes before the first change.
  const isComplete = changes.length < VERSIONS_SHOWN;
  const versions = [...changes.map(changedVersion), ...(isComplete ? [firstVersion(touchpoint, changes)] : [])];
  const starts = [...changes.map(({ version }) => version), ...(isComplete ? [FIRST_VERSION] : [])].reverse();
  const since = new Date(clock().getTime() - DAYS_COUNTED * DAY_MS);
  const rows = await withTimeoutError(
    countByScript(reportDb, tenant, { slug: touchpoint.slug, from: since, starts }),
    'Try again in a moment.',
  );
  const byScript = groupBy(rows, ({ script }) => script);
  return {
    versions: versions.map(
      (version, index): ScriptVersion => ({
        ...version,
        until: versions[index - 1]?.from ?? null,
        ...resultsOf(byScript.get(versions.length - index) ?? []),
      }),
    ),
    has_more: !isComplete,
    since: since.toISOString(),
  };
}
