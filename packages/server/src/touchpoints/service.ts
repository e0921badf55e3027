import {
  DAY_MINUTES,
  lanesOf,
  slugFrom,
  TOUCHPOINT_DEFAULTS,
  TOUCHPOINTS_MAX,
  type Touchpoint,
  type TouchpointContent,
  type TouchpointFieldChange,
} from '@foreword/contract';
import { columnsOf, type Database, type Db, type Row, type Tenant, type Tx } from '../db/tenancy.ts';
import type { Handlers } from '../http/index.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import { ID_PATTERN, newId } from '../platform/ids.ts';
import { pick } from '../platform/json.ts';
import { recordChange } from '../privacy/audit/index.ts';
import { type ContentChange, freeSlug, listDifferences, moveWithin, pickContent, revert } from './rules.ts';
import { findOriginal, originalContent, startingTouchpoints } from './starting-set.ts';
import {
  type ChangeRow,
  findChange,
  findLastChange,
  findTouchpointById,
  insertChange,
  insertTouchpoint,
  insertTouchpoints,
  listTouchpoints,
  lockOrder,
  lockTouchpoint,
  setPositions,
  type TouchpointChange,
  updateTouchpoint,
} from './store.ts';
import { requireValidContent } from './validation.ts';

export function presentTouchpoint(row: Row<'touchpoints'>): Touchpoint {
  return {
    id: row.id,
    object: 'touchpoint',
    ...pick(row, 'slug', 'name', 'context', 'active'),
    languages: row.script_es === null ? ['en'] : ['en', 'es'],
  };
}

async function retrieveTouchpoint(db: Db, tenant: Tenant, id: string): Promise<Touchpoint> {
  const row = ID_PATTERN.test(id) ? await findTouchpointById(db, tenant, id) : null;
  if (row === null) {
    throw new ApiError('not_found', 'No touchpoint with this id in this organization and environment.');
  }
  return presentTouchpoint(row);
}

/** Copies the starting touchpoints of the organization's industry. From then on they belong to the organization. */
export async function insertStartingTouchpoints(
  db: Db,
  tenant: Tenant,
  organization: Row<'organizations'>,
): Promise<void> {
  const rows = startingTouchpoints(organization.industry, organization.lanes).map((starting, position) =>
    newRow(tenant, { ...originalContent(starting), active: true }, starting.slug, position, organization.created_at),
  );
  await insertTouchpoints(db, rows);
}

const newRow = (
  tenant: Tenant,
  content: TouchpointContent,
  slug: string,
  position: number,
  now: Date,
): Row<'touchpoints'> => ({
  ...columnsOf(tenant),
  id: newId('tp', now),
  slug,
  ...content,
  position,
  version: 1,
  created_at: now,
  updated_at: now,
});

/** The context of an edit. `by` is the member who makes it; null for an operator command. */
export interface TouchpointEdit {
  readonly organization: Row<'organizations'>;
  readonly tenant: Tenant;
  readonly by: string | null;
  readonly now: Date;
}

const missing = (slug: string) => new ApiError('not_found', `This organization has no touchpoint "${slug}".`);

async function requireLocked(tx: Tx, tenant: Tenant, slug: string): Promise<Row<'touchpoints'>> {
  const row = await lockTouchpoint(tx, tenant, slug);
  if (row === null) throw missing(slug);
  return row;
}

async function addToHistory(
  tx: Tx,
  { tenant, by, now }: TouchpointEdit,
  row: Row<'touchpoints'>,
  entry: Pick<ChangeRow, 'kind'> &
    Partial<Pick<ChangeRow, 'undoes' | 'copy_of'>> & { fields: readonly TouchpointFieldChange[] },
): Promise<void> {
  await insertChange(tx, {
    ...columnsOf(tenant),
    id: newId('tc', now),
    touchpoint_id: row.id,
    member_id: by,
    version: row.version,
    undoes: null,
    copy_of: null,
    created_at: now,
    ...entry,
  });
  const fields = entry.fields.map(({ field }) => field);
  await recordChange(tx, tenant, { action: `touchpoint.${entry.kind}`, object: row.id, fields });
}

async function editConflict(tx: Tx, tenant: Tenant, row: Row<'touchpoints'>): Promise<ApiError> {
  const last = await findLastChange(tx, tenant, row.id);
  const name = last === null || last.first_name === null ? null : `${last.first_name} ${last.last_name}`;
  const who = name ?? (last === null ? 'Another user' : 'An administrator');
  return new ApiError(
    'edit_conflict',
    `${who} changed this touchpoint while you were editing. Your changes were not saved. Review the new version first.`,
  );
}

interface WantedChange {
  readonly slug: string;
  readonly change: ContentChange;
  /** The version the edit started from; undefined applies the change to any version. */
  readonly version?: number;
}

/** Changes a touchpoint and records the change in its history. Writes nothing if no value changes. */
export const changeTouchpoint = (tx: Tx, within: TouchpointEdit, wanted: WantedChange): Promise<Row<'touchpoints'>> =>
  applyChange(tx, within, wanted, async () => ({ change: wanted.change, kind: 'changed' }));

/** Restores the industry's original content. The touchpoint stays on or off. */
export const resetTouchpoint = (
  tx: Tx,
  within: TouchpointEdit,
  wanted: Omit<WantedChange, 'change'>,
): Promise<Row<'touchpoints'>> =>
  applyChange(tx, within, wanted, async () => {
    const original = findOriginal(within.organization, wanted.slug);
    if (original === null) {
      throw invalid('slug', 'names a touchpoint that your team created, so there is no original to restore');
    }
    return { change: original, kind: 'reset' };
  });

/** Restores the values that one change replaced, even if later changes touched the same fields. */
export const undoChange = (
  tx: Tx,
  within: TouchpointEdit,
  wanted: Omit<WantedChange, 'change'> & { readonly changeId: string },
): Promise<Row<'touchpoints'>> =>
  applyChange(tx, within, wanted, async (row) => {
    const found = await findChange(tx, within.tenant, row.id, wanted.changeId);
    if (found === null) throw new ApiError('not_found', 'This touchpoint has no such change.');
    if (found.fields.length === 0) throw invalid('change', "created the touchpoint, which can't be undone");
    return { change: revert(found.fields), kind: 'undone', undoes: found.id };
  });

interface Decision {
  readonly change: ContentChange;
  readonly kind: 'changed' | 'reset' | 'undone';
  readonly undoes?: string;
}

async function applyChange(
  tx: Tx,
  within: TouchpointEdit,
  { slug, version }: Omit<WantedChange, 'change'>,
  decide: (row: Row<'touchpoints'>) => Promise<Decision>,
): Promise<Row<'touchpoints'>> {
  const { tenant, organization, now } = within;
  // Locked first, so that the history records exactly the values that this change replaces.
  const row = await requireLocked(tx, tenant, slug);
  if (version !== undefined && version !== row.version) throw await editConflict(tx, tenant, row);
  const { change: wanted, kind, undoes = null } = await decide(row);
  const fields = listDifferences(row, wanted);
  if (fields.length === 0) return row;
  const values = Object.fromEntries(fields.map(({ field, after }) => [field, after])) as TouchpointChange;
  requireValidContent(
    { ...row, ...values },
    fields.map(({ field }) => field),
    lanesOf(organization),
  );
  const changed = await updateTouchpoint(tx, tenant, row, values, now);
  await addToHistory(tx, within, changed, { kind, fields, undoes });
  return changed;
}

interface NewTouchpoint {
  readonly name: string;
  /** Undefined: derived from the name. */
  readonly slug: string | undefined;
}

/** Neutral content, to be edited before the touchpoint is turned on. */
const INITIAL_CONTENT = {
  page_title: '{{ recipient.first_name | truncate: 40 }}, a few words from {{ member.first_name | truncate: 40 }}',
  script:
    "Hi {{ recipient.first_name }}, it's {{ member.first_name }} from {{ organization.name }}, and I wanted to say hello in person" +
    '{% if appointment %} before we meet on {{ appointment.weekday }} at {{ appointment.time }}{% endif %}. ' +
    "If you have any questions, I'm here.",
  page_title_es: '{{ recipient.first_name | truncate: 40 }}, unas palabras de {{ member.first_name | truncate: 40 }}',
  script_es:
    'Hola, {{ recipient.first_name }}, le habla {{ member.first_name }}, de {{ organization.name }}, y quería saludarle en persona' +
    '{% if appointment %} antes de vernos el {{ appointment }}{% endif %}. ' +
    'Si tiene alguna pregunta, aquí estoy.',
  delivery: 'service',
  minutes_to_record: 3 * DAY_MINUTES,
  ...TOUCHPOINT_DEFAULTS,
} as const;

/** Starts turned off, so that no event uses it before its content is edited. */
export async function createTouchpoint(
  tx: Tx,
  within: TouchpointEdit,
  wanted: NewTouchpoint & Pick<TouchpointContent, 'context' | 'lane'>,
): Promise<Row<'touchpoints'>> {
  const { name, context, lane } = wanted;
  const all = await lockOrder(tx, within.tenant);
  const content = { ...INITIAL_CONTENT, name, context, lane, active: false };
  requireValidContent(content, ['lane'], lanesOf(within.organization));
  const position = Math.max(-1, ...all.map((row) => row.position)) + 1;
  const row = await insertNew(tx, within, all, { ...wanted, content, position });
  await addToHistory(tx, within, row, { kind: 'created', fields: [] });
  return row;
}

/** Copies everything except the name. The copy is turned off and placed at the end. */
export async function copyTouchpoint(
  tx: Tx,
  within: TouchpointEdit,
  slug: string,
  wanted: NewTouchpoint,
): Promise<Row<'touchpoints'>> {
  const all = await lockOrder(tx, within.tenant);
  const source = all.find((row) => row.slug === slug);
  if (source === undefined) throw missing(slug);
  const position = Math.max(...all.map((row) => row.position)) + 1;
  const content = { ...pickContent(source), name: wanted.name, active: false };
  const row = await insertNew(tx, within, all, { ...wanted, content, position });
  await addToHistory(tx, within, row, { kind: 'copied', fields: [], copy_of: source.slug });
  return row;
}

async function insertNew(
  tx: Tx,
  { tenant, now }: TouchpointEdit,
  all: readonly Row<'touchpoints'>[],
  { name, slug, content, position }: NewTouchpoint & { content: TouchpointContent; position: number },
): Promise<Row<'touchpoints'>> {
  if (all.length >= TOUCHPOINTS_MAX) {
    const message = `An organization can have at most ${TOUCHPOINTS_MAX} touchpoints. Reuse one that is turned off.`;
    throw new ApiError('validation_failed', message);
  }
  const taken = all.find((row) => row.slug === slug);
  if (taken !== undefined) throw invalid('slug', `already belongs to "${taken.name}"`);
  const chosen = slug ?? freeSlug(slugFrom(name) || 'touchpoint', new Set(all.map((row) => row.slug)));
  const row = newRow(tenant, content, chosen, position, now);
  if (!(await insertTouchpoint(tx, row))) throw invalid('slug', 'was just taken; choose another');
  return row;
}

/**
 * Moves a touchpoint before another, or to the end, and returns the new order. Takes one move instead of a whole order, so
 * that two users can move different touchpoints at the same time.
 */
export async function moveTouchpoint(
  tx: Tx,
  tenant: Tenant,
  { slug, before }: { slug: string; before: string | null },
): Promise<string[]> {
  const rows = await lockOrder(tx, tenant);
  const slugs = rows.map((row) => row.slug);
  for (const named of [slug, before]) if (named !== null && !slugs.includes(named)) throw missing(named);
  const moved = moveWithin(slugs, slug, before);
  if (moved.join() === slugs.join()) return moved;
  const ids = new Map(rows.map((row) => [row.slug, row.id]));
  await setPositions(
    tx,
    tenant,
    moved.flatMap((each) => ids.get(each) ?? []),
  );
  await recordChange(tx, tenant, { action: 'touchpoint.moved', object: ids.get(slug) ?? null });
  return moved;
}

export const touchpointOperations = ({ db: { kysely } }: { readonly db: Database }) =>
  ({
    listTouchpoints: async (caller) => ({
      object: 'list',
      data: (await listTouchpoints(kysely, caller)).map(presentTouchpoint),
      has_more: false,
    }),
    retrieveTouchpoint: (caller, { params }) => retrieveTouchpoint(kysely, caller, params.id),
  }) satisfies Partial<Handlers>;
