import { TEXT_MAX_LENGTH } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { type Decline, handOver, type Reassign, storeAnswer } from '../../intros/index.ts';
import { listColleagues } from '../../members/index.ts';
import type { ApiError } from '../../platform/errors.ts';
import { withOrigin } from '../../platform/origin.ts';
import type { Tables } from '../../tables.ts';
import type { TestClocks } from '../../test-clock/index.ts';
import type { Carriers } from '../carriers/index.ts';
import { decide } from '../queue/decide.ts';
import { lockIntro, readContexts } from '../store/context.ts';
import {
  type ForwardedReply,
  findListed,
  listForwardedReplies,
  listVideosToRecord,
  replaceList,
  type TextedMember,
} from '../store/inbound.ts';
import { insertMessages, newMessage, notifyMessagesDue } from '../store/queue.ts';
import { type Choice, formatDeadline, inboundWording, MAX_CHOICES, writeChoices } from '../wording/texts.ts';
import { type Command, isExplicit, matchColleagues } from './commands.ts';

const HOUR_MS = 3_600_000;
/** A text that is no command answers the reply that was forwarded last, within this time. */
const ANSWER_MS = 24 * HOUR_MS;
/** Older replies, up to this age, can be answered with their number. */
const LISTED_REPLIES_MS = 7 * 24 * HOUR_MS;
/** A member who writes may not have read a reply that arrived in the last moments. */
const READING_MS = 2 * 60_000;
/** How long the numbers of a list are valid. */
const LIST_MS = 24 * HOUR_MS;

export interface MemberTextDeps {
  readonly testClocks: TestClocks;
  readonly carriers: Carriers;
  readonly decline: Decline;
  readonly reassign: Reassign;
}

/** A text of a member, with its command if it has one. */
export interface MemberText {
  readonly from: string;
  readonly organizationId: string | null;
  readonly words: string;
  readonly hasMedia: boolean;
  readonly command: Command | null;
  readonly requestId: string | null;
}

/** An intro that the text may be about. */
export interface MemberIntro extends Choice {
  readonly member: TextedMember;
  readonly introId: string;
  /** When the reply was forwarded, or the request sent. */
  readonly textedAt: Date;
}

interface Context extends MemberTextDeps {
  readonly tx: Transaction<Tables>;
  readonly text: MemberText;
  readonly members: readonly [TextedMember, ...TextedMember[]];
  readonly videos: readonly MemberIntro[];
  /** The last one comes first. */
  readonly replies: readonly MemberIntro[];
}

const nowOf = ({ testClocks }: MemberTextDeps, { tenant }: Pick<TextedMember, 'tenant'>): Date =>
  testClocks.now(tenant);

async function readIntros(deps: MemberTextDeps, tx: Transaction<Tables>, text: MemberText, member: TextedMember) {
  const now = nowOf(deps, member);
  const repliesSince = new Date(now.getTime() - LISTED_REPLIES_MS);
  const videos = await listVideosToRecord(tx, text, member, now);
  const replies: readonly ForwardedReply[] = member.forwardsReplies
    ? await listForwardedReplies(tx, text, member, repliesSince)
    : [];
  return {
    videos: videos.map((intro): MemberIntro => ({ kind: 'video', member, ...intro })),
    replies: replies.map((intro): MemberIntro => ({ kind: 'reply', member, ...intro })),
  };
}

const isRecent = (context: Context, { member, textedAt }: MemberIntro, withinMs: number): boolean =>
  nowOf(context, member).getTime() - textedAt.getTime() < withinMs;

/** Asks what the text is about, and remembers the numbers of the choices. */
async function ask(context: Context, choices: readonly MemberIntro[]): Promise<string> {
  const { tx, members } = context;
  const [{ language }] = members;
  const listed = choices
    .slice(0, MAX_CHOICES)
    .map(({ member, introId }) => ({ tenant: member.tenant, memberId: member.memberId, introId }));
  await replaceList(tx, members, listed, nowOf(context, members[0]));
  return writeChoices(language, choices);
}

/** Null if the number is not on the member's list, or its intro is not one of these any more. */
async function pick(context: Context, number: number, among: readonly MemberIntro[]): Promise<MemberIntro | null> {
  const { tx, members } = context;
  const since = new Date(nowOf(context, members[0]).getTime() - LIST_MS);
  const ids = await findListed(tx, members, number, since);
  return among.find(({ introId }) => ids.includes(introId)) ?? null;
}

function explain({ member: { language }, recipient }: MemberIntro, { code }: ApiError): string {
  const wording = inboundWording(language);
  if (code === 'intro_recorded') return wording.recorded(recipient);
  return code === 'rate_limited' ? wording.tooMany : wording.notYours(recipient);
}

/** The audit log and the timeline say that it was done with a text. The address of the carrier says nothing about the member. */
const asMember = <T>({ text }: Context, { member }: MemberIntro, work: () => T): T =>
  withOrigin(
    {
      actor: { type: 'member', id: member.memberId },
      ip: null,
      userAgent: 'Text message',
      requestId: text.requestId,
    },
    work,
  );

async function applyDecline(context: Context, video: MemberIntro, message: string | null): Promise<string> {
  const { tx, decline } = context;
  const { member, introId, recipient } = video;
  const wanted = { introId, memberId: member.memberId, reason: 'other', message, byText: true } as const;
  const refusal = await asMember(context, video, () => decline(tx, member.tenant, wanted, nowOf(context, member)));
  return refusal === null ? inboundWording(member.language).declined(recipient) : explain(video, refusal);
}

async function applyHandOver(
  context: Context,
  video: MemberIntro,
  { name, number }: Extract<Command, { kind: 'hand_over' }>,
): Promise<string> {
  const { tx, reassign } = context;
  const { member, introId, recipient } = video;
  const wording = inboundWording(member.language);
  const colleagues = matchColleagues(await listColleagues(tx, member.tenant, member.memberId), name);
  const [colleague, ...others] = colleagues;
  if (colleague === undefined) return wording.noColleague([...name].slice(0, MAX_NAME_LENGTH).join(''));
  if (others.length > 0) {
    const names = colleagues.slice(0, MAX_CHOICES).map((one) => one.name);
    return wording.severalColleagues(names.join(', '), wording.handOverCommand(number, colleague.name));
  }
  const wanted = { introId, from: member.memberId, to: colleague.id, byText: true };
  const refusal = await asMember(context, video, () =>
    handOver({ reassign }, tx, member.tenant, wanted, nowOf(context, member)),
  );
  return refusal === null ? wording.handedOver(recipient, colleague.name) : explain(video, refusal);
}

/** The part of an unknown name that is shown. */
const MAX_NAME_LENGTH = 40;

async function namesColleague({ tx, members }: Context, name: string): Promise<boolean> {
  const teams = await Promise.all(members.map(({ tenant, memberId }) => listColleagues(tx, tenant, memberId)));
  return teams.some((team) => matchColleagues(team, name).length > 0);
}

async function applyToVideo(context: Context, command: Exclude<Command, { kind: 'answer' }>): Promise<string> {
  const { videos, replies } = context;
  const recent = replies.filter((reply) => isRecent(context, reply, ANSWER_MS));
  const isMeant =
    isExplicit(command) || (command.kind === 'hand_over' && (await namesColleague(context, command.name)));
  if (!isMeant && recent.length > 0) return ask(context, [...recent, ...videos]);
  const [only, ...others] = videos;
  const chosen =
    command.number === null ? (others.length === 0 ? only : null) : await pick(context, command.number, videos);
  if (!chosen) return ask(context, videos);
  return command.kind === 'decline'
    ? applyDecline(context, chosen, command.words)
    : applyHandOver(context, chosen, command);
}

/** Sends the words to the recipient whose reply was forwarded last, unless they may be about something else. */
async function applyWords(context: Context): Promise<string> {
  const { text, members, videos, replies } = context;
  const wording = inboundWording(members[0].language);
  const [last, ...earlier] = replies;
  if (last === undefined) {
    if (text.command !== null && text.command.kind !== 'answer') return wording.nothingToRecord;
    const [video, ...more] = videos;
    if (video === undefined) return wording.noReader;
    return more.length === 0 ? wording.unclear(video.recipient) : ask(context, videos);
  }
  if (!isRecent(context, last, ANSWER_MS)) return ask(context, replies);
  const others = [...earlier.filter((reply) => isRecent(context, reply, ANSWER_MS)), ...videos];
  const { organizationId } = last.member.tenant;
  const isUnclear = others.some(
    ({ kind, member, textedAt }) =>
      (kind === 'reply' && member.tenant.organizationId !== organizationId) ||
      textedAt > last.textedAt ||
      isRecent(context, last, READING_MS),
  );
  if (isUnclear) return ask(context, [last, ...others]);
  return sendAnswer(context, context.tx, last, text, nowOf(context, last.member));
}

/** Applies a text of a member, and returns the text that says what happened. */
export async function applyMemberText(
  deps: MemberTextDeps,
  tx: Transaction<Tables>,
  members: readonly [TextedMember, ...TextedMember[]],
  text: MemberText,
): Promise<string> {
  const intros = await Promise.all(members.map((member) => readIntros(deps, tx, text, member)));
  const videos = intros.flatMap((one) => one.videos);
  const replies = intros.flatMap((one) => one.replies).sort((a, b) => b.textedAt.getTime() - a.textedAt.getTime());
  const context: Context = { ...deps, tx, text, members, videos, replies };
  const { command } = text;
  if (command?.kind === 'answer') {
    const chosen = await pick(context, command.number, replies);
    if (chosen === null) return replies.length > 0 ? ask(context, replies) : applyWords(context);
    return sendAnswer(deps, tx, chosen, { ...text, words: command.words }, nowOf(deps, chosen.member));
  }
  if (command !== null && videos.length > 0) return applyToVideo(context, command);
  const isDecline = command !== null && isExplicit(command);
  return isDecline ? inboundWording(members[0].language).nothingToRecord : applyWords(context);
}

interface AnsweredReply {
  readonly member: TextedMember;
  readonly introId: string;
  readonly recipient: string;
}

/**
 * Stores the member's answer with its text to the recipient, or changes nothing. The queue sends the text, within the sending
 * hours and the daily limits. Returns the text to the member.
 */
async function sendAnswer(
  { carriers }: { readonly carriers: Carriers },
  tx: Transaction<Tables>,
  { member, introId, recipient }: AnsweredReply,
  { words, hasMedia }: { readonly words: string; readonly hasMedia: boolean },
  now: Date,
): Promise<string> {
  const { tenant, memberId, language } = member;
  const wording = inboundWording(language);
  const { length } = [...words];
  if (hasMedia) return wording.answerWithMedia;
  if (length > TEXT_MAX_LENGTH) return wording.answerTooLong(length, TEXT_MAX_LENGTH);
  await lockIntro(tx, tenant, introId);
  const answer = { intro_id: introId, audience: 'recipient', purpose: 'answer', channel: 'text', round: 1 } as const;
  const [context] = await readContexts(tx, carriers, [newMessage(tenant, answer, now)]);
  if (context === undefined) return wording.answerClosed(recipient);
  const decision = decide(context, now);
  if (decision.kind === 'fail' && decision.code === 'recipient_opted_out') return wording.answerOptedOut(recipient);
  if (decision.kind === 'fail' || decision.kind === 'drop') return wording.answerClosed(recipient);
  const number = await storeAnswer(tx, tenant, { introId, memberId, message: words }, now);
  if (number !== null) {
    await insertMessages(tx, [{ ...context.message, round: number, address: context.intro.recipient_phone }]);
    await notifyMessagesDue(tx);
  }
  if (decision.kind === 'send') return wording.answered(recipient);
  return wording.answeredLater(recipient, formatDeadline({ at: decision.until, timezone: member.timezone }, language));
}
