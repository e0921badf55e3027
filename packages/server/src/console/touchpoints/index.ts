/** Edits touchpoints, with previews, history and results. */

import {
  countWords,
  DAY_MS,
  isCutOff,
  lanesOf,
  PACE,
  type PartialCount,
  SCRIPT_MAX_LENGTH,
  type ScriptResults,
  type ScriptVersion,
  type TOUCHPOINTS_OPERATIONS,
  type TouchpointAuthor,
  type TouchpointChange,
  type TouchpointDetail,
  type TouchpointSummary,
} from '@foreword/contract';
import type { Db, Row, Tenant, Tx } from '../../db/tenancy.ts';
import { wordingIn } from '../../delivery/index.ts';
import { once } from '../../http/idempotency/index.ts';
import { countWaitingByTouchpoint } from '../../intros/events/index.ts';
import { countByScript, countOpenByTouchpoint, type ScriptOutcomes } from '../../intros/index.ts';
import { ApiError } from '../../platform/errors.ts';
import { pick } from '../../platform/json.ts';
import {
  type ChangeRow,
  changeTouchpoint,
  copyTouchpoint,
  createTouchpoint,
  findLastChange,
  findOriginal,
  findTouchpoint,
  listChanges,
  listScriptChanges,
  listTouchpoints,
  moveTouchpoint,
  pickContent,
  renderTemplate,
  resetTouchpoint,
  type ScriptChangeRow,
  sampleValues,
  speakingSeconds,
  TemplateProblem,
  type TouchpointEdit,
  templateVariables,
  undoChange,
} from '../../touchpoints/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { type ConsoleHandlers, requireOrganization } from '../operations.ts';
import { addUp, recordingTimes } from '../overview/rules.ts';
import { withTimeoutError } from '../overview/statistics.ts';
import type { ConsoleUser } from '../sessions/service.ts';
import { createPreviewHandlers } from './preview.ts';

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
  by: presentAuthor(change),
});

function resultsOf(rows: readonly ScriptOutcomes[]) {
  const sumOf = (name: 'clicked' | 'replied') => rows.reduce((sum, row) => sum + row[name], 0);
  const { median_ms } = recordingTimes(rows);
  return { ...addUp(rows), clicked: sumOf('clicked'), replied: sumOf('replied'), median_ms };
}

/** Results of the newest versions of a touchpoint's script. */
async function readScriptResults(
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
  const byScript = Map.groupBy(rows, ({ script }) => script);
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

interface Counts {
  readonly counts: ReadonlyMap<string, number>;
  readonly more: boolean;
}

/** Unfinished work that a change to a touchpoint affects. */
interface OpenWork {
  /** By slug. */
  readonly intros: Counts;
  /** By id. */
  readonly events: Counts;
}

const countOf = ({ counts, more }: Counts, name: string): PartialCount => ({ count: counts.get(name) ?? 0, more });

const presentOpenWork = ({ intros, events }: OpenWork, { id, slug }: Row<'touchpoints'>) => ({
  open_intros: countOf(intros, slug),
  waiting_events: countOf(events, id),
});

function wordsOf(script: string, organization: Row<'organizations'>): number {
  try {
    return countWords(renderTemplate(script, sampleValues(organization), SCRIPT_MAX_LENGTH));
  } catch (problem) {
    // It was valid when it was saved, but a longer organization name may have pushed it over the limit.
    if (problem instanceof TemplateProblem) return countWords(script);
    throw problem;
  }
}

function presentSummary(
  row: Row<'touchpoints'>,
  organization: Row<'organizations'>,
  work: OpenWork,
): TouchpointSummary {
  const words = wordsOf(row.script, organization);
  const longest = Math.max(words, row.script_es === null ? 0 : wordsOf(row.script_es, organization));
  return {
    ...pick(row, 'slug', 'name', 'context', 'lane', 'active', 'delivery'),
    words,
    seconds: speakingSeconds(words, PACE.usual),
    is_cut_off: isCutOff(speakingSeconds(longest, PACE.usual)),
    ...presentOpenWork(work, row),
  };
}

/** Members are never deleted, so the author always has a name. */
const presentAuthor = ({ member_id: id, first_name, last_name }: ChangeRow | ScriptChangeRow): TouchpointAuthor =>
  id === null ? null : { id, name: `${first_name} ${last_name}` };

function presentDetail(
  row: Row<'touchpoints'>,
  { organization, last, work }: { organization: Row<'organizations'>; last: ChangeRow | null; work: OpenWork },
): TouchpointDetail {
  return {
    ...pick(row, 'id', 'slug', 'version', 'created_at'),
    ...pickContent(row),
    last_change: last && { at: last.created_at.toISOString(), by: presentAuthor(last) },
    ...presentOpenWork(work, row),
    original: findOriginal(organization, row.slug),
    lanes: lanesOf(organization),
    variables: templateVariables,
    default_text: wordingIn('en').defaultText,
    default_text_es: wordingIn('es').defaultText,
  };
}

const presentChange = (row: ChangeRow): TouchpointChange => ({
  ...pick(row, 'id', 'kind', 'version', 'copy_of'),
  at: row.created_at.toISOString(),
  by: presentAuthor(row),
  fields: row.fields.map(({ field, before, after }) => ({ field, before, after })),
});

const HISTORY_PAGE = 20;

async function readOpenWork(db: Db, tenant: Tenant): Promise<OpenWork> {
  const [intros, events] = await Promise.all([countOpenByTouchpoint(db, tenant), countWaitingByTouchpoint(db, tenant)]);
  return { intros, events };
}

async function detailOf(db: Db, tenant: Tenant, row: Row<'touchpoints'>): Promise<TouchpointDetail> {
  const [organization, last, work] = await Promise.all([
    requireOrganization(db, tenant),
    findLastChange(db, tenant, row.id),
    readOpenWork(db, tenant),
  ]);
  return presentDetail(row, { organization, last, work });
}

async function requireTouchpoint(db: Db, tenant: Tenant, slug: string): Promise<Row<'touchpoints'>> {
  const row = await findTouchpoint(db, tenant, slug);
  if (row === null) throw new ApiError('not_found', `This organization has no touchpoint "${slug}".`);
  return row;
}

type Apply = (tx: Tx, edit: TouchpointEdit) => Promise<Row<'touchpoints'>>;

export function createTouchpointsHandlers(
  deps: ConsoleDeps,
): Pick<ConsoleHandlers, keyof typeof TOUCHPOINTS_OPERATIONS> {
  const { clock } = deps;
  const { kysely: db } = deps.db;

  const applyFor =
    ({ tenant, memberId }: ConsoleUser, apply: Apply) =>
    async (tx: Tx) =>
      apply(tx, { organization: await requireOrganization(tx, tenant), tenant, by: memberId, now: clock() });

  /** Runs the edit in one transaction and returns the saved touchpoint. */
  const edit = async (user: ConsoleUser, apply: Apply): Promise<TouchpointDetail> =>
    detailOf(db, user.tenant, await db.transaction().execute(applyFor(user, apply)));

  /** Adds a touchpoint once per key. */
  async function add(user: ConsoleUser, key: string, request: { path: string; body: object }, apply: Apply) {
    const { tenant } = user;
    const keyed = { tenant, key, method: 'POST', ...request } as const;
    const { response } = await once(deps.db, keyed, async (tx) => ({ slug: (await applyFor(user, apply)(tx)).slug }));
    return detailOf(db, tenant, await requireTouchpoint(db, tenant, response.slug));
  }

  return {
    async readTouchpoints({ tenant }) {
      const [organization, rows, work] = await Promise.all([
        requireOrganization(db, tenant),
        listTouchpoints(db, tenant),
        readOpenWork(db, tenant),
      ]);
      return { touchpoints: rows.map((row) => presentSummary(row, organization, work)), lanes: lanesOf(organization) };
    },
    async readTouchpoint({ tenant }, { params }) {
      return detailOf(db, tenant, await requireTouchpoint(db, tenant, params.slug));
    },
    async readTouchpointHistory({ tenant }, { params, query }) {
      const { id } = await requireTouchpoint(db, tenant, params.slug);
      // One more than the page, to learn whether more exist.
      const rows = await listChanges(db, tenant, id, { before: query.before, limit: HISTORY_PAGE + 1 });
      return { changes: rows.slice(0, HISTORY_PAGE).map(presentChange), has_more: rows.length > HISTORY_PAGE };
    },
    readScriptResults: async ({ tenant }, { params }) =>
      readScriptResults(deps, tenant, await requireTouchpoint(db, tenant, params.slug)),
    createTouchpoint: (user, { body, key }) =>
      add(user, key, { path: '/console/touchpoints', body }, (tx, by) =>
        createTouchpoint(tx, by, { ...body, slug: body.slug }),
      ),
    changeTouchpoint: (user, { params: { slug }, body: { version, ...change } }) =>
      edit(user, (tx, by) => changeTouchpoint(tx, by, { slug, ...(version !== undefined && { version }), change })),
    copyTouchpoint: (user, { params: { slug }, body, key }) =>
      add(user, key, { path: `/console/touchpoints/${slug}/copy`, body }, (tx, by) =>
        copyTouchpoint(tx, by, slug, { name: body.name, slug: body.slug }),
      ),
    resetTouchpoint: (user, { params: { slug }, body: { version } }) =>
      edit(user, (tx, by) => resetTouchpoint(tx, by, { slug, version })),
    undoTouchpointChange: (user, { params: { slug }, body }) =>
      edit(user, (tx, by) => undoChange(tx, by, { slug, version: body.version, changeId: body.change })),
    async moveTouchpoint({ tenant }, { body }) {
      return { slugs: await db.transaction().execute((tx) => moveTouchpoint(tx, tenant, body)) };
    },
    ...createPreviewHandlers(deps),
  };
}
