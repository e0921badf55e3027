/** Folder: imports members from CSV, with a preview. */

import { createHash } from 'node:crypto';
import { setImmediate as yieldToRequests } from 'node:timers/promises';
import {
  type ConsoleBody,
  type ImportField,
  type ImportLine,
  type ImportPreview,
  MEMBERS_OPERATIONS,
  NewMember,
} from '@foreword/contract';
import type { Db, Row, Tx } from '../../db/tenancy.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { pick } from '../../platform/json.ts';
import { compileCheck } from '../../platform/validate.ts';
import { recordChanges } from '../../privacy/audit/index.ts';
import { IMPORTED_FIELDS, refuseAction, refuseLanes, removesOwner } from '../rules.ts';
import { describeChange, type TeamEditor, throwIf, toRow } from '../service.ts';
import { insertMembers, lockMembers, lockTeam, readMembers, rewriteMembers } from '../store.ts';
import { type ParsedFile, type ParsedLine, parseImport } from './parse.ts';
import { type Draft, type ImportValues, Roster, readValues } from './roster.ts';

/** Lines of a file must pass the same checks as the forms. They throw. */
const checkNew = compileCheck(NewMember, 'line');
const checkChange = compileCheck(MEMBERS_OPERATIONS.changeMember.body.schema, 'line');

/** Planning yields to other requests after this many lines. */
const LINES_PER_TURN = 200;
/** Every line shows these, so they are not listed as changes. */
const ALWAYS_SHOWN: readonly ImportField[] = ['first_name', 'last_name', 'email'];

const shown = (value: string | readonly string[] | null | undefined): string | null =>
  value === undefined || value === null ? null : typeof value === 'string' ? value : value.join(', ');

function differs(field: ImportField, before: Draft, after: ImportValues): boolean {
  const [from, to] = [before[field], after[field]];
  if (to === undefined) return false;
  if (field === 'email') return String(from).toLowerCase() !== String(to).toLowerCase();
  return shown(from) !== shown(to);
}

function onlyNew(values: ImportValues, before: Draft): ImportValues {
  const fields = IMPORTED_FIELDS.filter((field) => differs(field, before, values));
  return Object.fromEntries(fields.map((field) => [field, values[field]])) as ImportValues;
}

interface Decision {
  readonly outcome: ImportLine['outcome'];
  readonly draft: Draft;
  readonly changes: ImportLine['changes'];
}

function decideNew(values: ImportValues, line: number, roster: Roster, editor: TeamEditor): Decision {
  checkNew(values);
  const { first_name = '', last_name = '', email = '', lanes = [], role = 'member' } = values;
  throwIf(refuseAction(editor.role, null, values));
  throwIf(refuseLanes(editor.possibleLanes, lanes));
  const { phone = null, external_id = null, title = null, title_es = null } = values;
  const texts = { first_name, last_name, email, phone, external_id, title, title_es };
  const draft = { id: null, ...texts, lanes, role, active: true, line };
  roster.add(draft);
  const otherFields = IMPORTED_FIELDS.filter((field) => !ALWAYS_SHOWN.includes(field) && values[field] !== undefined);
  const changes = otherFields.map((field) => ({ field, from: null, to: shown(values[field]) }));
  return { outcome: 'add', draft, changes };
}

function decideExisting(
  values: ImportValues,
  line: number,
  before: Draft,
  roster: Roster,
  editor: TeamEditor,
): Decision {
  if (before.line !== null) {
    throw new ApiError('validation_failed', `Is the same member as line ${before.line}.`, { field: 'email' });
  }
  const change = onlyNew(values, before);
  checkChange(change);
  throwIf(refuseAction(editor.role, before, change));
  throwIf(refuseLanes(editor.possibleLanes, change.lanes));
  if (change.email !== undefined) roster.refuseSharing(change.email, before);
  if (removesOwner(before, change) && roster.activeOwners === 1) {
    throw invalid('role', "can't change for the last active owner");
  }
  const changes = IMPORTED_FIELDS.filter((field) => change[field] !== undefined).map((field) => ({
    field,
    from: shown(before[field]),
    to: shown(change[field]),
  }));
  roster.change(before, change, line);
  return { outcome: changes.length === 0 ? 'same' : 'change', draft: before, changes };
}

function decide({ cells, line, isTooLong }: ParsedLine, roster: Roster, editor: TeamEditor): Decision {
  if (isTooLong) throw new ApiError('validation_failed', 'Has more cells than the heading line.');
  const values = readValues(cells);
  const before = roster.find(values);
  return before === null
    ? decideNew(values, line, roster, editor)
    : decideExisting(values, line, before, roster, editor);
}

/** Removes the field name from the message, because the preview shows it next to the field: "Must be …". */
function toProblem({ message, field = '' }: ApiError): NonNullable<ImportLine['problem']> {
  const text = (field !== '' && message.startsWith(`${field} `) ? message.slice(field.length) : message).trim();
  const known = IMPORTED_FIELDS.find((one) => field === one || field.startsWith(`${one}.`));
  return { field: known ?? null, message: text.charAt(0).toUpperCase() + text.slice(1) };
}

function planLine(read: ParsedLine, roster: Roster, editor: TeamEditor): { line: ImportLine; draft: Draft | null } {
  const { first_name = '', last_name = '', email = '' } = read.cells;
  const shownAs = { line: read.line, name: `${first_name} ${last_name}`.trim(), email };
  try {
    const { outcome, draft, changes } = decide(read, roster, editor);
    const name = `${draft.first_name} ${draft.last_name}`;
    return {
      line: { ...shownAs, name, email: draft.email, outcome, member_id: draft.id, changes, problem: null },
      draft,
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const problem = toProblem(error);
    return { line: { ...shownAs, outcome: 'problem', member_id: null, changes: [], problem }, draft: null };
  }
}

const isExisting = (draft: Draft | null): draft is Draft & { id: string } => draft !== null && draft.id !== null;

/**
 * Everything that an import will do, decided before anything is written. Reads the file from top to bottom: each line sees the
 * changes of the lines above it.
 */
async function planImport(file: ParsedFile, members: readonly Row<'members'>[], editor: TeamEditor) {
  const roster = new Roster(members);
  const planned: ReturnType<typeof planLine>[] = [];
  for (const line of file.lines) {
    planned.push(planLine(line, roster, editor));
    if (planned.length % LINES_PER_TURN === 0) await yieldToRequests();
  }
  const draftsOf = (outcome: ImportLine['outcome']) =>
    planned.filter(({ line }) => line.outcome === outcome).map(({ draft }) => draft);
  const lines = planned.map(({ line }) => line);
  const count = (outcome: ImportLine['outcome']) => lines.filter((line) => line.outcome === outcome).length;
  const counts = { add: count('add'), change: count('change'), same: count('same'), problem: count('problem') };
  const fingerprint = createHash('sha256').update(JSON.stringify(lines)).digest('base64url');
  const preview: ImportPreview = { lines, counts, columns: file.columns, fingerprint };
  return {
    preview,
    added: draftsOf('add')
      .filter((draft) => draft !== null)
      .map((draft) => pick(draft, ...IMPORTED_FIELDS)),
    /** The members with their new values. */
    changed: draftsOf('change').filter(isExisting),
  };
}

/** Shows what the import would do, and writes nothing. */
export async function previewImport(db: Db, editor: TeamEditor, text: string): Promise<ImportPreview> {
  const file = await parseImport(text);
  return (await planImport(file, await readMembers(db, editor.tenant), editor)).preview;
}

/** With the fingerprint of the preview that the user confirmed, and whether lines with problems may be left out. */
type ImportRequest = Omit<ConsoleBody<'POST /members/import'>, 'welcome'>;

/** Does exactly what the preview showed, or nothing. */
export async function applyImport(
  tx: Tx,
  clock: Clock,
  editor: TeamEditor,
  { text, fingerprint, skip_problems: skipProblems }: ImportRequest,
) {
  const file = await parseImport(text);
  const { tenant } = editor;
  await lockTeam(tx, tenant);
  const members = await lockMembers(tx, tenant);
  const plan = await planImport(file, members, editor);
  const { counts } = plan.preview;
  if (plan.preview.fingerprint !== fingerprint) {
    throw new ApiError('edit_conflict', 'The team changed since this preview. Preview the import again.');
  }
  if (counts.problem > 0 && !skipProblems) {
    throw invalid('skip_problems', 'must be true to import the file without the lines that have problems');
  }
  const now = clock();
  const added = await insertMembers(
    tx,
    plan.added.map((member) => toRow(tenant, member, now)),
  );
  const rows = new Map(members.map((member) => [member.id, member]));
  const changed = plan.changed.flatMap(({ line: _line, ...draft }) => {
    const before = rows.get(draft.id);
    return before === undefined ? [] : [{ before, after: { ...before, ...draft } }];
  });
  await rewriteMembers(
    tx,
    changed.map(({ after }) => after),
  );
  await recordChanges(tx, tenant, [
    ...added.map(({ id }) => ({ action: 'member.added', object: id }) as const),
    ...changed.flatMap(({ before, after }) => describeChange(before, after) ?? []),
  ]);
  // Existing members with a new email.
  const emailChanged = plan.preview.lines.flatMap(({ member_id: id, changes }) =>
    id !== null && changes.some(({ field }) => field === 'email') ? [id] : [],
  );
  return { counts, added, emailChanged };
}
