import type { ConsoleBody, SettledIntros } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { type OpenIntroAction, settleOpenIntros } from '../../intros/index.ts';
import { deactivateMember, replacePages, requireMember, type TeamEditor } from '../../members/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import type { Tables } from '../../tables.ts';
import type { ConsoleDeps } from '../deps.ts';
import { endAccess } from '../sessions/store/ending.ts';

type DeactivationRequest = ConsoleBody<'POST /members/:id/deactivate'>;
type IntroChoice = Pick<NonNullable<DeactivationRequest['each']>[number], 'action' | 'to'>;

function toParting({ action, to }: IntroChoice, field: string): OpenIntroAction {
  if (action !== 'reassign') return { action };
  if (to === undefined) throw invalid(field, 'must be the member who records them now');
  return { action, to };
}

/** Reads what to do with each open intro: its own choice if there is one, otherwise the general one. */
function readPartings(body: DeactivationRequest) {
  const toRecord = toParting({ action: body.to_record, ...(body.to !== undefined && { to: body.to }) }, 'to');
  const recorded: OpenIntroAction = { action: body.recorded };
  const choices = new Map((body.each ?? []).map((one, at) => [one.id, toParting(one, `each.${at}.to`)]));
  const names = [toRecord, ...choices.values()].flatMap((parting) =>
    parting.action === 'reassign' ? [parting.to] : [],
  );
  const partingOf = ({ id, isRecorded }: { id: string; isRecorded: boolean }): OpenIntroAction => {
    const choice = choices.get(id) ?? (isRecorded ? recorded : toRecord);
    // A recorded intro shows the member's face, so it can be cancelled but not reassigned.
    return isRecorded && choice.action === 'reassign' ? { action: 'leave' } : choice;
  };
  return { partingOf, names: new Set(names) };
}

async function requireSuccessor(tx: Transaction<Tables>, { tenant }: TeamEditor, id: string, leaver: string) {
  const problem = 'must be another active member of your organization';
  if (id === leaver) throw invalid('to', problem);
  const { active } = await requireMember(tx, tenant, id).catch((error: unknown) => {
    throw error instanceof ApiError ? invalid('to', problem) : error;
  });
  if (!active) throw invalid('to', problem);
}

/** Deactivates the member and settles the open intros. Optionally, the member's pages show the organization's card. */
export async function deactivate(
  { reassign, introEvents }: Pick<ConsoleDeps, 'reassign' | 'introEvents'>,
  tx: Transaction<Tables>,
  editor: TeamEditor,
  { id, body, now }: { id: string; body: DeactivationRequest; now: Date },
): Promise<SettledIntros> {
  const { partingOf, names } = readPartings(body);
  await deactivateMember(tx, editor, id);
  for (const name of names) await requireSuccessor(tx, editor, name, id);
  const leaving = { tenant: editor.tenant, memberId: id, by: editor.memberId };
  await endAccess(tx, editor.tenant, [id], now);
  const settled = await settleOpenIntros({ reassign, introEvents }, tx, leaving, partingOf, now);
  if (body.replace_pages) await replacePages(tx, editor, id, now);
  return settled;
}
