/** Folder: imports members from CSV, with a preview. */

import type { ImportPreview } from '@foreword/contract';
import type { Db, Tx } from '../../db/tenancy.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { recordChanges } from '../../privacy/audit/index.ts';
import { toRow } from '../service.ts';
import { insertMembers, lockMembers, lockTeam, readMembers, rewriteMembers } from '../store.ts';
import { describeChange, type TeamEditor } from '../team.ts';
import { parseImport } from './parse.ts';
import { type ImportPlan, type ImportRules, planImport } from './plan.ts';

type Checks = Pick<ImportRules, 'checkNew' | 'checkChange'>;

/** Shows what the import would do, and writes nothing. */
export async function previewImport(db: Db, editor: TeamEditor, checks: Checks, text: string): Promise<ImportPreview> {
  const file = await parseImport(text);
  const { preview } = await planImport(file, await readMembers(db, editor.tenant), { ...editor, ...checks });
  return preview;
}

export interface ImportRequest {
  readonly text: string;
  /** Identifies the preview that the user confirmed. */
  readonly fingerprint: string;
  /** The user confirmed importing the other lines despite lines with problems. */
  readonly skipProblems: boolean;
}

/** Does exactly what the preview showed, or nothing. `emailChanged` lists existing members with a new email. */
export async function applyImport(
  tx: Tx,
  clock: Clock,
  editor: TeamEditor,
  checks: Checks,
  { text, fingerprint, skipProblems }: ImportRequest,
): Promise<{ readonly counts: ImportPlan['preview']['counts']; readonly emailChanged: readonly string[] }> {
  const file = await parseImport(text);
  const { tenant } = editor;
  await lockTeam(tx, tenant);
  const members = await lockMembers(tx, tenant);
  const plan = await planImport(file, members, { ...editor, ...checks });
  const { counts } = plan.preview;
  if (plan.preview.fingerprint !== fingerprint) {
    throw new ApiError('edit_conflict', 'The team changed since this preview. Preview the import again.');
  }
  if (counts.problem > 0 && !skipProblems) {
    throw invalid('skip_problems', 'must be true to import the file without the lines that have problems');
  }
  const now = clock();
  const added = plan.added.map((member) => toRow(tenant, member, now));
  await insertMembers(tx, added);
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
  const emailChanged = plan.preview.lines.flatMap(({ member_id: id, changes }) =>
    id !== null && changes.some(({ field }) => field === 'email') ? [id] : [],
  );
  return { counts, emailChanged };
}
