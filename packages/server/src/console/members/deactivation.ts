import type { ConsoleBody, SettledIntros } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { type OpenIntroAction, settleOpenIntros } from '../../intros/index.ts';
import { deactivateMember, replacePages, requireMember, type TeamEditor } from '../../members/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import type { Tables } from '../../tables.ts';
import type { ConsoleDeps } from '../deps.ts';
import { endAccess } from '../sessions/store.ts';

type Asked = ConsoleBody<'POST /members/:id/deactivate'>;
type Said = Pick<NonNullable<Asked['each']>[number], 'action' | 'to'>;

function toParting({ action, to }: Said, field: string): OpenIntroAction {
  if (action !== 'reassign') return { action };
  if (to === undefined) throw invalid(field, 'must name the member who records them now');
  return { action, to };
}

/** What becomes of each, as it was asked: one by one where it says so, and in general for the rest. */
function readPartings(body: Asked) {
  const toRecord = toParting({ action: body.to_record, ...(body.to !== undefined && { to: body.to }) }, 'to');
  const recorded: OpenIntroAction = { action: body.recorded };
  const own = new Map((body.each ?? []).map((one, at) => [one.id, toParting(one, `each.${at}.to`)]));
  const names = [toRecord, ...own.values()].flatMap((parting) => (parting.action === 'reassign' ? [parting.to] : []));
  const partingOf = ({ id, isRecorded }: { id: string; isRecorded: boolean }): OpenIntroAction => {
    const said = own.get(id) ?? (isRecorded ? recorded : toRecord);
    // Their face is in it: what is recorded can be held back, but nobody else can have said it.
    return isRecorded && said.action === 'reassign' ? { action: 'leave' } : said;
  };
  return { partingOf, names: new Set(names) };
}

async function requireSuccessor(tx: Transaction<Tables>, { tenant }: TeamEditor, id: string, leaver: string) {
  const says = 'must be another active member of your organization';
  if (id === leaver) throw invalid('to', says);
  const { active } = await requireMember(tx, tenant, id).catch((error: unknown) => {
    throw error instanceof ApiError ? invalid('to', says) : error;
  });
  if (!active) throw invalid('to', says);
}

/** All in one: they are out, each of their open intros has its way, and their pages show the card if that was wished. */
export async function deactivate(
  { reassign, introEvents }: Pick<ConsoleDeps, 'reassign' | 'introEvents'>,
  tx: Transaction<Tables>,
  editor: TeamEditor,
  { id, body, now }: { id: string; body: Asked; now: Date },
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
