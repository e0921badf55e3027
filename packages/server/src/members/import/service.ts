import type { ImportPreview } from '@foreword/contract';
import type { Transaction } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/db.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import type { Tables } from '../../tables.ts';
import type { TeamEditor } from '../changing.ts';
import { lockMembers, lockTeam, readMembers } from '../directory.ts';
import { toRow } from '../service.ts';
import { insertMembers, rewriteMembers } from '../store.ts';
import { type ImportPlan, type ImportRules, planImport } from './plan.ts';
import { readImport } from './reading.ts';

type Checks = Pick<ImportRules, 'checkNew' | 'checkChange'>;

/** What the file would do now. Nothing is written. */
export async function previewImport(
  db: Queryable<Tables>,
  editor: TeamEditor,
  checks: Checks,
  text: string,
): Promise<ImportPreview> {
  const file = readImport(text);
  const { preview } = await planImport(file, await readMembers(db, editor.tenant), { ...editor, ...checks });
  return preview;
}

export interface ImportAsked {
  readonly text: string;
  /** Of the preview that somebody saw. */
  readonly fingerprint: string;
  /** They saw that some lines cannot be read, and want the others. */
  readonly skipProblems: boolean;
}

/** Exactly what the preview showed, all of it or nothing. Says also who of those that were there has another address now. */
export async function applyImport(
  tx: Transaction<Tables>,
  clock: Clock,
  editor: TeamEditor,
  checks: Checks,
  { text, fingerprint, skipProblems }: ImportAsked,
): Promise<{ readonly counts: ImportPlan['preview']['counts']; readonly readdressed: readonly string[] }> {
  const file = readImport(text);
  const { tenant } = editor;
  await lockTeam(tx, tenant);
  const members = await lockMembers(tx, tenant);
  const plan = await planImport(file, members, { ...editor, ...checks });
  const { counts } = plan.preview;
  if (plan.preview.fingerprint !== fingerprint) {
    throw new ApiError('edit_conflict', 'The team was changed since you looked at this import. Look at it once more.');
  }
  if (counts.problem > 0 && !skipProblems) {
    throw invalid('skip_problems', 'must be true to import the good lines without those that have a problem');
  }
  const now = clock();
  await insertMembers(
    tx,
    plan.added.map((member) =>
      toRow(tenant, { phone: null, external_id: null, lanes: [], role: 'member', ...member }, now),
    ),
  );
  const rows = new Map(members.map((member) => [member.id, member]));
  await rewriteMembers(
    tx,
    plan.changed.flatMap(({ line: _line, ...draft }) => {
      const row = rows.get(draft.id);
      return row === undefined ? [] : [{ ...row, ...draft }];
    }),
  );
  const readdressed = plan.preview.lines.flatMap(({ member_id: id, changes }) =>
    id !== null && changes.some(({ field }) => field === 'email') ? [id] : [],
  );
  return { counts, readdressed };
}
