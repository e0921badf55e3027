/** Edits touchpoints, with previews, history and results. */

import { lanesOf, type TOUCHPOINTS_OPERATIONS, type TouchpointDetail } from '@foreword/contract';
import type { Db, Row, Tenant, Tx } from '../../db/tenancy.ts';
import { countWaitingByTouchpoint } from '../../intros/events/index.ts';
import { countOpenByTouchpoint } from '../../intros/index.ts';
import { ApiError } from '../../platform/errors.ts';
import {
  changeTouchpoint,
  copyTouchpoint,
  createTouchpoint,
  findLastChange,
  findTouchpoint,
  listChanges,
  listTouchpoints,
  moveTouchpoint,
  resetTouchpoint,
  type TouchpointEdit,
  undoChange,
} from '../../touchpoints/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { requireOrganization } from '../organization.ts';
import type { ConsoleUser } from '../sessions/service.ts';
import { type OpenWork, presentChange, presentDetail, presentSummary } from './present.ts';
import { createPreviewHandlers } from './preview.ts';
import { readScriptResults } from './results.ts';

const HISTORY_PAGE = 20;

type Touchpoints = keyof typeof TOUCHPOINTS_OPERATIONS;
type Read = 'readTouchpoints' | 'readTouchpoint' | 'readTouchpointHistory' | 'readScriptResults';
type Preview = keyof ReturnType<typeof createPreviewHandlers>;
type Edit = Exclude<Touchpoints, Read | Preview>;

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

function createReadHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, Read> {
  const {
    db: { kysely: db },
  } = deps;
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
  };
}

function createEditHandlers({ db: { kysely: db }, clock }: ConsoleDeps): Pick<ConsoleHandlers, Edit> {
  /** Runs the edit in one transaction and returns the saved touchpoint. */
  async function edit(
    { tenant, memberId }: ConsoleUser,
    apply: (tx: Tx, edit: TouchpointEdit) => Promise<Row<'touchpoints'>>,
  ): Promise<TouchpointDetail> {
    const row = await db.transaction().execute(async (tx) => {
      const organization = await requireOrganization(tx, tenant);
      return apply(tx, { organization, tenant, by: memberId, now: clock() });
    });
    return detailOf(db, tenant, row);
  }

  return {
    createTouchpoint: (user, { body }) =>
      edit(user, (tx, by) => createTouchpoint(tx, by, { ...body, slug: body.slug })),
    changeTouchpoint: (user, { params: { slug }, body: { version, ...change } }) =>
      edit(user, (tx, by) => changeTouchpoint(tx, by, { slug, version, change })),
    copyTouchpoint: (user, { params: { slug }, body }) =>
      edit(user, (tx, by) => copyTouchpoint(tx, by, slug, { name: body.name, slug: body.slug })),
    switchTouchpoint: (user, { params: { slug }, body }) =>
      edit(user, (tx, by) => changeTouchpoint(tx, by, { slug, change: { active: body.active } })),
    resetTouchpoint: (user, { params: { slug }, body: { version } }) =>
      edit(user, (tx, by) => resetTouchpoint(tx, by, { slug, version })),
    undoTouchpointChange: (user, { params: { slug }, body }) =>
      edit(user, (tx, by) => undoChange(tx, by, { slug, version: body.version, changeId: body.change })),
    async moveTouchpoint({ tenant }, { body }) {
      return { slugs: await db.transaction().execute((tx) => moveTouchpoint(tx, tenant, body)) };
    },
  };
}

export const createTouchpointsHandlers = (deps: ConsoleDeps): Pick<ConsoleHandlers, Touchpoints> => ({
  ...createReadHandlers(deps),
  ...createEditHandlers(deps),
  ...createPreviewHandlers(deps),
});
