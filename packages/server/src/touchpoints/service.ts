import { TOUCHPOINTS_MAX, type TouchpointContent, type TouchpointFieldChange } from '@foreword/contract';
import type { Transaction } from 'kysely';
import type { Queryable } from '../platform/db.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { OrganizationRow, Tables, Tenant, TouchpointRow } from '../tables.ts';
import { requireSound } from './checking.ts';
import { type ChangeRow, findChange, findLastChange, insertChange } from './history.ts';
import { CONTENT_FIELDS, type ContentChange, freeSlug, listDifferences, slugFrom, takeBack } from './rules.ts';
import { findOriginal, lanesOf, originalContent, startingTouchpoints } from './starting-set.ts';
import {
  insertTouchpoint,
  insertTouchpoints,
  lockOrder,
  lockTouchpoint,
  type TouchpointChange,
  updateTouchpoint,
} from './store.ts';

/** What an organization of this industry begins with; from then on the touchpoints are its own. */
export async function giveStartingTouchpoints(
  db: Queryable<Tables>,
  tenant: Tenant,
  organization: OrganizationRow,
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
): TouchpointRow => ({
  organization_id: tenant.organizationId,
  environment: tenant.environment,
  id: newId('tp', now),
  slug,
  ...content,
  position,
  version: 1,
  created_at: now,
  updated_at: now,
});

/** Whose the touchpoint is, and who does it; null: a command of the operator. */
export interface TouchpointEdit {
  readonly organization: OrganizationRow;
  readonly tenant: Tenant;
  readonly by: string | null;
  readonly now: Date;
}

type Tx = Transaction<Tables>;

const missing = (slug: string) => new ApiError('not_found', `This organization has no touchpoint "${slug}".`);

async function requireLocked(tx: Tx, tenant: Tenant, slug: string): Promise<TouchpointRow> {
  const row = await lockTouchpoint(tx, tenant, slug);
  if (row === null) throw missing(slug);
  return row;
}

async function note(
  tx: Tx,
  { tenant, by, now }: TouchpointEdit,
  row: TouchpointRow,
  what: Pick<ChangeRow, 'kind'> &
    Partial<Pick<ChangeRow, 'undoes' | 'copy_of'>> & { fields: readonly TouchpointFieldChange[] },
): Promise<void> {
  await insertChange(tx, {
    organization_id: tenant.organizationId,
    environment: tenant.environment,
    id: newId('tc', now),
    touchpoint_id: row.id,
    member_id: by,
    version: row.version,
    undoes: null,
    copy_of: null,
    created_at: now,
    ...what,
  });
}

async function conflictOf(tx: Tx, tenant: Tenant, row: TouchpointRow): Promise<ApiError> {
  const last = await findLastChange(tx, tenant, row.id);
  const name = last === null || last.first_name === null ? null : `${last.first_name} ${last.last_name}`;
  const who = name ?? (last === null ? 'Somebody else' : 'A command of the operator');
  return new ApiError(
    'edit_conflict',
    `${who} changed this touchpoint while you were editing it. Nothing of yours was saved; look at what changed first.`,
  );
}

export interface WantedChange {
  readonly slug: string;
  readonly change: ContentChange;
  /** The version that the change was made from; undefined for what is right on top of any. */
  readonly version?: number;
}

/**
 * Changes a touchpoint and remembers what it was, for a person in the console and for a command alike. What changes nothing
 * writes nothing.
 */
export const changeTouchpoint = (tx: Tx, within: TouchpointEdit, wanted: WantedChange): Promise<TouchpointRow> =>
  applyChange(tx, within, wanted, async () => ({ change: wanted.change, kind: 'changed' }));

/** To what the industry's own began as; being on or off stays. */
export const resetTouchpoint = (
  tx: Tx,
  within: TouchpointEdit,
  wanted: Omit<WantedChange, 'change'>,
): Promise<TouchpointRow> =>
  applyChange(tx, within, wanted, async () => {
    const original = findOriginal(within.organization, wanted.slug);
    if (original === null) {
      throw invalid('slug', 'is one that your team made: there is no original of it to go back to');
    }
    return { change: original, kind: 'reset' };
  });

/** Puts the values back that one change replaced, whatever came after it. */
export const undoChange = (
  tx: Tx,
  within: TouchpointEdit,
  wanted: Omit<WantedChange, 'change'> & { readonly changeId: string },
): Promise<TouchpointRow> =>
  applyChange(tx, within, wanted, async (row) => {
    const found = await findChange(tx, within.tenant, row.id, wanted.changeId);
    if (found === null) throw new ApiError('not_found', 'This touchpoint has no such change.');
    if (found.fields.length === 0) throw invalid('change', 'is how the touchpoint began, which cannot be taken back');
    return { change: takeBack(found.fields), kind: 'undone', undoes: found.id };
  });

interface Decided {
  readonly change: ContentChange;
  readonly kind: 'changed' | 'reset' | 'undone';
  readonly undoes?: string;
}

async function applyChange(
  tx: Tx,
  within: TouchpointEdit,
  { slug, version }: Omit<WantedChange, 'change'>,
  decide: (row: TouchpointRow) => Promise<Decided>,
): Promise<TouchpointRow> {
  const { tenant, organization, now } = within;
  // Locked first: the values that the history keeps are those that this change replaces.
  const row = await requireLocked(tx, tenant, slug);
  if (version !== undefined && version !== row.version) throw await conflictOf(tx, tenant, row);
  const { change: wanted, kind, undoes = null } = await decide(row);
  const fields = listDifferences(row, wanted);
  if (fields.length === 0) return row;
  const values = Object.fromEntries(fields.map(({ field, after }) => [field, after])) as TouchpointChange;
  requireSound(
    { ...row, ...values },
    fields.map(({ field }) => field),
    lanesOf(organization),
  );
  const changed = await updateTouchpoint(tx, tenant, row, values, now);
  await note(tx, within, changed, { kind, fields, undoes });
  return changed;
}

export interface NewTouchpoint {
  readonly name: string;
  /** Undefined: made from the name. */
  readonly slug: string | undefined;
}

/** Neutral words for any moment, to be written anew before the first event comes. */
const FIRST_WORDS = {
  page_title: '{{ recipient.first_name | truncate: 40 }}, a few words from {{ member.first_name | truncate: 40 }}',
  script:
    "Hi {{ recipient.first_name }}, it's {{ member.first_name }} with {{ organization.name }}" +
    '{% if appointment %}, and I will see you on {{ appointment.weekday }} at {{ appointment.time }}{% endif %}. ' +
    'I wanted to say hello in person, and to tell you that I am here if you have any questions.',
  delivery: 'service',
  days_to_record: 3,
  action_label: null,
  action_url: null,
  text_message: null,
  reminds: true,
} as const;

/** It begins turned off: no event finds it before its words are right. */
export async function createTouchpoint(
  tx: Tx,
  within: TouchpointEdit,
  wanted: NewTouchpoint & Pick<TouchpointContent, 'context' | 'lane'>,
): Promise<TouchpointRow> {
  const { name, context, lane } = wanted;
  const all = await lockOrder(tx, within.tenant);
  const content = { ...FIRST_WORDS, name, context, lane, active: false };
  requireSound(content, ['lane'], lanesOf(within.organization));
  const position = Math.max(-1, ...all.map((row) => row.position)) + 1;
  const row = await insertNew(tx, within, all, { ...wanted, content, position });
  await note(tx, within, row, { kind: 'created', fields: [] });
  return row;
}

/** All of it under another name, turned off. It stands at the end, from where it can be moved. */
export async function copyTouchpoint(
  tx: Tx,
  within: TouchpointEdit,
  slug: string,
  wanted: NewTouchpoint,
): Promise<TouchpointRow> {
  const all = await lockOrder(tx, within.tenant);
  const source = all.find((row) => row.slug === slug);
  if (source === undefined) throw missing(slug);
  const same = Object.fromEntries(
    CONTENT_FIELDS.map((field) => [field, source[field]]),
  ) as unknown as TouchpointContent;
  const position = Math.max(...all.map((row) => row.position)) + 1;
  const content = { ...same, name: wanted.name, active: false };
  const row = await insertNew(tx, within, all, { ...wanted, content, position });
  await note(tx, within, row, { kind: 'copied', fields: [], copy_of: source.slug });
  return row;
}

async function insertNew(
  tx: Tx,
  { tenant, now }: TouchpointEdit,
  all: readonly TouchpointRow[],
  { name, slug, content, position }: NewTouchpoint & { content: TouchpointContent; position: number },
): Promise<TouchpointRow> {
  if (all.length >= TOUCHPOINTS_MAX) {
    const message = `An organization has at most ${TOUCHPOINTS_MAX} touchpoints. Give one that is turned off a new purpose.`;
    throw new ApiError('validation_failed', message);
  }
  const taken = all.find((row) => row.slug === slug);
  if (taken !== undefined) throw invalid('slug', `belongs to "${taken.name}" already`);
  const chosen = slug ?? freeSlug(slugFrom(name), new Set(all.map((row) => row.slug)));
  const row = newRow(tenant, content, chosen, position, now);
  if (!(await insertTouchpoint(tx, row))) throw invalid('slug', 'was just taken by somebody else; choose another');
  return row;
}
