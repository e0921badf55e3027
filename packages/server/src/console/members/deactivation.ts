import type { ConsoleBody, SettledIntros } from '@foreword/contract';
import type { Tx } from '../../db/tenancy.ts';
import type { OpenIntroAction } from '../../intros/index.ts';
import { replacePages, type TeamEditor } from '../../members/index.ts';
import { deactivateAndSettle } from '../../members/team/index.ts';
import { invalid } from '../../platform/errors.ts';
import type { ConsoleDeps } from '../deps.ts';
import { endAccess } from '../sessions/store/ending.ts';

type DeactivationRequest = ConsoleBody<'POST /members/{id}/deactivate'>;
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
  const successors = [toRecord, ...choices.values()].flatMap((parting): [string, string][] =>
    parting.action === 'reassign' ? [[parting.to, 'to']] : [],
  );
  const actionFor = ({ id, isRecorded }: { id: string; isRecorded: boolean }): OpenIntroAction => {
    const choice = choices.get(id) ?? (isRecorded ? recorded : toRecord);
    // A recorded intro shows the member's face, so it can be cancelled but not reassigned.
    return isRecorded && choice.action === 'reassign' ? { action: 'leave' } : choice;
  };
  return { actionFor, successors: new Map(successors) };
}

/** Deactivates the member and settles the open intros. Optionally, the member's pages show the organization's card. */
export async function deactivate(
  { reassign, introEvents }: Pick<ConsoleDeps, 'reassign' | 'introEvents'>,
  tx: Tx,
  editor: TeamEditor & { readonly memberId: string },
  { id, body, now }: { id: string; body: DeactivationRequest; now: Date },
): Promise<SettledIntros> {
  const departure = { id, by: editor.memberId, ...readPartings(body), now };
  const settled = await deactivateAndSettle({ reassign, introEvents, endAccess }, tx, editor, departure);
  if (body.replace_pages) await replacePages(tx, editor, id, now);
  return settled;
}
