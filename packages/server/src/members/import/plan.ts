import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ImportField, ImportLine, ImportPreview, Role } from '@foreword/contract';
import { ApiError, invalid } from '../../platform/errors.ts';
import type { MemberRow } from '../../tables.ts';
import type { NewTeamMember } from '../changing.ts';
import { refuseAct, refuseLanes, takesOwner } from '../rules.ts';
import type { ReadFile, ReadLine } from './reading.ts';
import { type Draft, Team } from './team.ts';
import { type ImportValues, readValues } from './values.ts';

export interface ImportRules {
  /** Whose word it is. */
  readonly role: Role;
  readonly possibleLanes: readonly ('retail' | 'insurance')[];
  /** The same that a form's fields have to pass; they throw. */
  readonly checkNew: (value: unknown) => void;
  readonly checkChange: (value: unknown) => void;
}

/** All that an import does, decided before anything is written. */
export interface ImportPlan {
  readonly preview: ImportPreview;
  readonly added: readonly NewTeamMember[];
  /** As they stand afterwards. */
  readonly changed: readonly (Draft & { id: string })[];
}

/** Then whoever else asks something of this process has their turn. */
const LINES_AT_ONCE = 200;
const FIELDS = ['first_name', 'last_name', 'email', 'phone', 'external_id', 'lanes', 'role', 'title'] as const;
/** These two and the address stand beside every line anyhow. */
const EVIDENT: readonly ImportField[] = ['first_name', 'last_name', 'email'];

const shown = (value: string | readonly string[] | null | undefined): string | null =>
  value === undefined || value === null ? null : typeof value === 'string' ? value : value.join(', ');

function differs(field: ImportField, before: Draft, after: ImportValues): boolean {
  const [from, to] = [before[field], after[field]];
  if (to === undefined) return false;
  if (field === 'email') return String(from).toLowerCase() !== String(to).toLowerCase();
  return shown(from) !== shown(to);
}

function onlyNew(values: ImportValues, before: Draft): ImportValues {
  const fields = FIELDS.filter((field) => differs(field, before, values));
  return Object.fromEntries(fields.map((field) => [field, values[field]])) as ImportValues;
}

interface Verdict {
  readonly outcome: ImportLine['outcome'];
  readonly draft: Draft;
  readonly changes: ImportLine['changes'];
}

function throwIf(refusal: ApiError | null): void {
  if (refusal !== null) throw refusal;
}

function judgeNew(values: ImportValues, line: number, team: Team, rules: ImportRules): Verdict {
  rules.checkNew(values);
  const { first_name = '', last_name = '', email = '', lanes = [], role = 'member' } = values;
  throwIf(refuseAct(rules.role, null, values));
  throwIf(refuseLanes(rules.possibleLanes, lanes));
  const { phone = null, external_id = null, title = null } = values;
  const draft = { id: null, first_name, last_name, email, phone, external_id, title, lanes, role, active: true, line };
  team.add(draft);
  const beyond = FIELDS.filter((field) => !EVIDENT.includes(field) && values[field] !== undefined);
  const changes = beyond.map((field) => ({ field, from: null, to: shown(values[field]) }));
  return { outcome: 'add', draft, changes };
}

function judgeKnown(values: ImportValues, line: number, before: Draft, team: Team, rules: ImportRules): Verdict {
  if (before.line !== null) {
    throw new ApiError('validation_failed', `Means the same person as line ${before.line}.`, { field: 'email' });
  }
  const change = onlyNew(values, before);
  rules.checkChange(change);
  throwIf(refuseAct(rules.role, before, change));
  throwIf(refuseLanes(rules.possibleLanes, change.lanes));
  if (change.email !== undefined) team.refuseSharing(change.email, before);
  if (takesOwner(before, change) && team.activeOwners === 1) {
    throw invalid('role', 'cannot be taken from the last active owner');
  }
  const changes = FIELDS.filter((field) => change[field] !== undefined).map((field) => ({
    field,
    from: shown(before[field]),
    to: shown(change[field]),
  }));
  team.change(before, change, line);
  return { outcome: changes.length === 0 ? 'same' : 'change', draft: before, changes };
}

function judge({ cells, line, isTooLong }: ReadLine, team: Team, rules: ImportRules): Verdict {
  if (isTooLong) throw new ApiError('validation_failed', 'Has more cells than there are headings.');
  const values = readValues(cells);
  const before = team.find(values);
  return before === null ? judgeNew(values, line, team, rules) : judgeKnown(values, line, before, team, rules);
}

/** As it reads beside its field: "Must be …", not "email must be …". */
function toProblem({ message, field = '' }: ApiError): NonNullable<ImportLine['problem']> {
  const text = (field !== '' && message.startsWith(`${field} `) ? message.slice(field.length) : message).trim();
  const known = FIELDS.find((one) => field === one || field.startsWith(`${one}.`));
  return { field: known ?? null, message: text.charAt(0).toUpperCase() + text.slice(1) };
}

function planLine(read: ReadLine, team: Team, rules: ImportRules): { line: ImportLine; draft: Draft | null } {
  const { first_name = '', last_name = '', email = '' } = read.cells;
  const said = { line: read.line, name: `${first_name} ${last_name}`.trim(), email };
  try {
    const { outcome, draft, changes } = judge(read, team, rules);
    const name = `${draft.first_name} ${draft.last_name}`;
    return { line: { ...said, name, email: draft.email, outcome, member_id: draft.id, changes, problem: null }, draft };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const problem = toProblem(error);
    return { line: { ...said, outcome: 'problem', member_id: null, changes: [], problem }, draft: null };
  }
}

const isKnown = (draft: Draft | null): draft is Draft & { id: string } => draft !== null && draft.id !== null;

function toNew({ first_name, last_name, email, phone, external_id, title, lanes, role }: Draft): NewTeamMember {
  return { first_name, last_name, email, phone, external_id, title, lanes, role };
}

/** Goes through the file from top to bottom; what a line does is known to the lines below it. */
export async function planImport(
  file: ReadFile,
  members: readonly MemberRow[],
  rules: ImportRules,
): Promise<ImportPlan> {
  const team = new Team(members);
  const planned: ReturnType<typeof planLine>[] = [];
  for (const line of file.lines) {
    planned.push(planLine(line, team, rules));
    if (planned.length % LINES_AT_ONCE === 0) await nextTurn();
  }
  const draftsOf = (outcome: ImportLine['outcome']) =>
    planned.filter(({ line }) => line.outcome === outcome).map(({ draft }) => draft);
  const lines = planned.map(({ line }) => line);
  const count = (outcome: ImportLine['outcome']) => lines.filter((line) => line.outcome === outcome).length;
  const counts = { add: count('add'), change: count('change'), same: count('same'), problem: count('problem') };
  const fingerprint = createHash('sha256').update(JSON.stringify(lines)).digest('base64url');
  return {
    preview: { lines, counts, columns: file.columns, fingerprint },
    added: draftsOf('add')
      .filter((draft) => draft !== null)
      .map(toNew),
    changed: draftsOf('change').filter(isKnown),
  };
}
