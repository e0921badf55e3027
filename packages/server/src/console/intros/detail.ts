import {
  type ConsoleActionState,
  type ConsoleIntro,
  type ConsoleIntroRequest,
  type Intro,
  iso,
  type TimelineStep,
} from '@foreword/contract';
import type { Database, Tenant } from '../../db/tenancy.ts';
import { checkManualSends, listMessages, type MessageRow, readTimeline } from '../../delivery/index.ts';
import { findKeyName } from '../../http/access/index.ts';
import { findEvent } from '../../intros/events/index.ts';
import {
  checkMoves,
  type IntroWithMember,
  noSuchIntro,
  presentReply,
  readListRows,
  requireIntro,
} from '../../intros/index.ts';
import { findMember, listNames } from '../../members/index.ts';
import { listVideoFiles } from '../../pages/index.ts';
import { ApiError } from '../../platform/errors.ts';
import { parseJson, pick } from '../../platform/json.ts';
import { explainNotRetried, findLatestTake, type RecordingRow } from '../../recordings/index.ts';
import { listObjectWebhooks } from '../../webhooks/index.ts';
import { mayActAs } from '../access.ts';
import type { ConsoleDeps } from '../deps.ts';
import { findCreatingRequest } from '../developers/request-log/store.ts';
import type { ConsoleUser } from '../sessions/service.ts';
import { mediaUrl, presentIntroRow, presentMessage, presentRecording, presentWebhook } from './present.ts';

const EVENTS_PATH = '/v1/touchpoint-events';
const INTROS_PATH = '/v1/intros';

/** Logged bodies are masked. A truncated body is no longer valid JSON and is returned as text. */
const readBody = (text: string | null): unknown => (text === null ? null : (parseJson(text) ?? text));

/** The request that created an intro: the event's request, or the request log's entry while it is retained. */
async function findOrigin(
  { kysely: db }: Database,
  tenant: Tenant,
  intro: { readonly id: string; readonly event_id: string | null },
): Promise<ConsoleIntroRequest | null> {
  const path = intro.event_id === null ? INTROS_PATH : EVENTS_PATH;
  const row = await findCreatingRequest(db, tenant, intro.event_id ?? intro.id, path);
  const event = intro.event_id === null ? null : await findEvent(db, tenant, intro.event_id);
  if (event !== null) return { request_id: row?.id ?? null, path, body: event.request };
  return row === null ? null : { request_id: row.id, path, body: readBody(row.body) };
}

async function findCanceller({ db: { kysely } }: ConsoleDeps, tenant: Tenant, id: string | null) {
  if (id === null) return null;
  if (!id.startsWith('mem_')) return { kind: 'key', id, name: await findKeyName(kysely, tenant, id) } as const;
  const member = await findMember(kysely, tenant, id);
  return { kind: 'member', id, name: member && `${member.first_name} ${member.last_name}` } as const;
}

const actionState = (refusal: ApiError | null, now?: Date): ConsoleActionState => ({
  possible: refusal === null,
  reason: refusal?.message ?? null,
  possible_at:
    now === undefined || refusal?.retryAfterS === undefined
      ? null
      : new Date(now.getTime() + refusal.retryAfterS * 1000).toISOString(),
});
const ALREADY_DECLINED = new ApiError('intro_closed', 'You declined this intro.');
const NOT_ALLOWED: ConsoleActionState = { possible: false, reason: null, possible_at: null };

async function findActions(
  { db, testClocks, carriers }: ConsoleDeps,
  user: ConsoleUser,
  row: IntroWithMember,
  take: RecordingRow | null,
): Promise<ConsoleIntro['actions']> {
  const hasTakeUnderWay = take?.status === 'uploaded' || take?.status === 'processing';
  const moves = checkMoves({ ...row, hasPendingTake: hasTakeUnderWay });
  const isTeam = mayActAs(user.role, 'manager');
  const ownState = (refusal: ApiError | null) => (row.member_id === user.memberId ? actionState(refusal) : NOT_ALLOWED);
  const now = testClocks.now(user.tenant);
  const byHand = isTeam ? await checkManualSends({ carriers }, db.kysely, user.tenant, row.id, now) : null;
  return {
    cancel: actionState(moves.cancel),
    mark_sent: actionState(moves.markSent),
    retry_recording: actionState(explainNotRetried(row.status, take)),
    take_down: mayActAs(user.role, 'owner') ? actionState(moves.takeDown) : NOT_ALLOWED,
    reassign: isTeam ? actionState(moves.reassign) : ownState(moves.reassign),
    decline: ownState(row.declined_at === null ? moves.reassign : ALREADY_DECLINED),
    remind: byHand === null ? NOT_ALLOWED : actionState(byHand.remind, now),
    send_again: byHand === null ? NOT_ALLOWED : actionState(byHand.resend),
    correct_phone: isTeam && row.recipient_phone !== '' ? actionState(moves.correctPhone) : NOT_ALLOWED,
  };
}

async function findMedia(
  { db, clock }: ConsoleDeps,
  { tenant }: ConsoleUser,
  id: string,
): Promise<ConsoleIntro['media']> {
  const files = await listVideoFiles(db, tenant, id, clock());
  return (
    files && {
      video_url: mediaUrl(id, files.video),
      poster_url: mediaUrl(id, files.poster),
      captions_url: files.captions === null ? null : mediaUrl(id, files.captions),
      page_url: `/console/preview/${id}`,
    }
  );
}

/** Activates the link, because the member may not have been notified yet. */
async function findRecordUrl(
  { db, links }: ConsoleDeps,
  { tenant }: ConsoleUser,
  row: IntroWithMember,
): Promise<string | null> {
  const { id: introId, link_generation: generation } = row;
  if (row.status !== 'requested') return null;
  await links.activateRecord(db.kysely, [{ tenant, introId, generation }]);
  return links.recordUrl(introId, generation);
}

async function findForTeam(deps: ConsoleDeps, user: ConsoleUser, row: IntroWithMember) {
  const { tenant } = user;
  const [webhooks, raw, request] = await Promise.all([
    listObjectWebhooks(deps.db.kysely, deps.contents, tenant, row.id),
    deps.use('retrieveIntro', user, { params: { id: row.id } }),
    findOrigin(deps.db, tenant, row),
  ]);
  return { webhooks: webhooks.map(presentWebhook), raw, request };
}

async function findPeople(
  { db }: ConsoleDeps,
  tenant: Tenant,
  timeline: readonly TimelineStep[],
): Promise<ConsoleIntro['people']> {
  const ids = timeline.flatMap(({ detail }) => [detail?.member, detail?.from, detail?.to]);
  const members = new Set(ids.filter((id): id is string => typeof id === 'string' && id.startsWith('mem_')));
  if (members.size === 0) return [];
  const names = await listNames(db, tenant, [...members]);
  return names.map(({ id, first_name, last_name }) => ({ id, first_name, last_name }));
}

function presentContent(row: IntroWithMember) {
  // Stored in the shape of the contract.
  const context = row.context as Intro['context'];
  return {
    title: context?.title ?? null,
    appointment: context?.appointment ?? null,
    trade: context?.trade ?? null,
    lane: context?.lane ?? null,
    ...pick(row, 'script', 'event_id', 'recipient_opted_out'),
    reference: row.reference as ConsoleIntro['reference'],
    metadata: row.metadata as ConsoleIntro['metadata'],
  };
}

/** Hides reminders of a recorded intro: they look pending, but are dropped once due. */
const isRelevant = ({ audience, status }: MessageRow, intro: IntroWithMember['status']): boolean =>
  audience === 'recipient' || status !== 'scheduled' || intro === 'requested';

/** Everything about an intro that the user may see. */
export async function readDetail(deps: ConsoleDeps, user: ConsoleUser, id: string): Promise<ConsoleIntro> {
  const { db, links } = deps;
  const { tenant } = user;
  const row = await requireIntro(db.kysely, user, id);
  const isTeam = mayActAs(user.role, 'manager');
  const take = await findLatestTake(db.kysely, tenant, id);
  const [listed, timeline, messages, actions, media, recordUrl, cancelledBy, team] = await Promise.all([
    readListRows(db.kysely, tenant, [id]),
    readTimeline(db, tenant, id),
    listMessages(db.kysely, tenant, id),
    findActions(deps, user, row, take),
    findMedia(deps, user, id),
    findRecordUrl(deps, user, row),
    findCanceller(deps, tenant, row.cancelled_by),
    isTeam ? findForTeam(deps, user, row) : null,
  ]);
  const [first] = listed;
  if (first === undefined) throw noSuchIntro();
  return {
    ...presentIntroRow(first, deps.clock()),
    ...presentContent(row),
    recipient_url: row.recording_id === null ? null : links.pageUrl(id, row.link_host),
    record_url: recordUrl,
    reply: presentReply(row),
    taken_down_at: iso(row.taken_down_at),
    cancelled_by: cancelledBy,
    recording: presentRecording(take),
    media,
    timeline: timeline.data,
    people: await findPeople(deps, tenant, timeline.data),
    // Members see only messages to the recipient: those to members may have gone to a previous member.
    messages: messages
      .filter(({ audience }) => isTeam || audience === 'recipient')
      .filter((message) => isRelevant(message, row.status))
      .map((message) => presentMessage(links, message)),
    actions,
    team,
  };
}
