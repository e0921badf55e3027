import { DAY_MS, DECLINE_MESSAGE_MAX_LENGTH, MINUTE_MS, TEXT_MAX_LENGTH } from '@foreword/contract';
import type { Tx } from '../../db/tenancy.ts';
import { type Decline, handOver, type Reassign, storeAnswer } from '../../intros/index.ts';
import { listColleagues } from '../../members/index.ts';
import type { ApiError } from '../../platform/errors.ts';
import { withOrigin } from '../../platform/origin.ts';
import type { TestClocks } from '../../testing/clock/index.ts';
import type { Carriers } from '../carriers/index.ts';
import { decide } from '../queue/decide.ts';
import { lockIntro, readContexts } from '../store/context.ts';
import {
  findListed,
  listForwardedReplies,
  listVideosToRecord,
  type NamedIntro,
  type Reply,
  replaceList,
  type TextedMember,
} from '../store/inbound.ts';
import { insertMessages, newMessage, notifyMessagesDue } from '../store/queue.ts';
import { type Choice, formatDeadline, inboundWording, MAX_CHOICES, writeChoices } from '../wording/texts.ts';

/** The request in a member's text. Numbers refer to the list that the member got last. */
export type Command =
  | {
      readonly kind: 'decline';
      /** The word means nothing else. "NO" may also answer a recipient. */
      readonly isClear: boolean;
      readonly number: number | null;
      /** The reason; null if there is none. */
      readonly words: string | null;
    }
  | { readonly kind: 'hand_over'; readonly number: number | null; readonly name: string }
  | { readonly kind: 'answer'; readonly number: number; readonly words: string };

/** No list has it, so the member gets the list. */
const UNLISTED = 0;

const END = String.raw`(?![\p{L}\p{N}])`;
const NUMBER = String.raw`(?:(\d{1,2})${END}[\s.:,]*)?`;
const ANSWER = new RegExp(String.raw`^(?:answer|respuesta)\s+(\d{1,2})${END}[\s.:,]*(.+)$`, 'isu');
const HAND_OVERS = [
  new RegExp(`^(?:give|hand|pass)(?: it)?(?: over)? ${NUMBER}(?:it )?(?:over )?to (.+)$`, 'iu'),
  new RegExp(`^(?:give|hand ?over) ${NUMBER}(.+)$`, 'iu'),
  new RegExp(`^(?:dar|pasar|pasa|pase) ${NUMBER}a (.+)$`, 'iu'),
];
const CLEAR_DECLINE = new RegExp(`^(?:decline|rechazar|rechazo)${END}(.*)$`, 'iu');
const DECLINE = new RegExp(`^(?:no puedo|no|nope|pass|paso|i can'?t|i cannot|can'?t|cannot)${END}(.*)$`, 'iu');
const NO_DECLINE = new RegExp(
  `^no (?:prob|problem|problems|worries|rush|hay problema|te preocupes|se preocupe|pasa nada)${END}`,
  'iu',
);
const REST = new RegExp(String.raw`^[\s.:,!-]*${NUMBER}(.*)$`, 'iu');

const toNumber = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits));

function readDecline(rest: string, isClear: boolean): Command {
  const [, digits, said = ''] = REST.exec(rest) ?? [];
  const words = [...said.trim()].slice(0, DECLINE_MESSAGE_MAX_LENGTH).join('');
  // "NO 1 2": one number at a time.
  const isSeveral = digits !== undefined && /^[\d\s.,&]+$/.test(words);
  return { kind: 'decline', isClear, number: isSeveral ? UNLISTED : toNumber(digits), words: words || null };
}

/** Null if the text is no command. The words are none of the carriers' keywords, which are recognized first. */
export function readCommand(text: string): Command | null {
  const answer = ANSWER.exec(text);
  if (answer !== null) return { kind: 'answer', number: Number(answer[1]), words: answer[2]?.trim() ?? '' };
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('’', "'");
  const given = HAND_OVERS.map((pattern) => pattern.exec(line)).find((found) => found !== null);
  if (given !== undefined) return { kind: 'hand_over', number: toNumber(given[1]), name: given[2]?.trim() ?? '' };
  const clear = CLEAR_DECLINE.exec(line);
  if (clear !== null) return readDecline(clear[1] ?? '', true);
  const decline = NO_DECLINE.test(line) ? null : DECLINE.exec(line);
  return decline === null ? null : readDecline(decline[1] ?? '', false);
}

/** Whether the text cannot be an answer to a recipient: "Give me a call" and "No, thanks" can. */
export const isExplicit = (command: Command): boolean =>
  command.number !== null || (command.kind === 'decline' && command.isClear);

const toWords = (name: string): string[] =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Whether the said words begin the name. The last one may be an initial: "Sam L". */
function beginsName(name: readonly string[], said: readonly string[]): boolean {
  if (said.length === 0 || said.length > name.length) return false;
  return said.every((word, index) => {
    const isInitial = index > 0 && index === said.length - 1 && word.length === 1;
    return isInitial ? name[index]?.startsWith(word) === true : name[index] === word;
  });
}

/** Finds colleagues by first name, or more of the name. The full name fits only those who have exactly this name. */
export function matchColleagues<Named extends { readonly name: string }>(
  colleagues: readonly Named[],
  said: string,
): readonly Named[] {
  const words = toWords(said);
  const fitting = colleagues.filter(({ name }) => beginsName(toWords(name), words));
  const exact = fitting.filter(({ name }) => toWords(name).length === words.length);
  return exact.length > 0 ? exact : fitting;
}

/** A text that is no command answers the reply that was forwarded last, within this time. */
const ANSWER_MS = DAY_MS;
/** Older replies, up to this age, can be answered with their number. */
const LISTED_REPLIES_MS = 7 * DAY_MS;
/** A member who writes may not have read a reply that arrived in the last moments. */
const READING_MS = 2 * MINUTE_MS;
/** How long the numbers of a list are valid. */
const LIST_MS = DAY_MS;
/** The part of an unknown name that is shown. */
const MAX_NAME_LENGTH = 40;

interface MemberTextDeps {
  readonly testClocks: TestClocks;
  readonly carriers: Carriers;
  readonly decline: Decline;
  readonly reassign: Reassign;
}

/** A text of a member, with its command if it has one. */
interface MemberText {
  readonly tx: Tx;
  readonly reply: Reply;
  readonly members: readonly [TextedMember, ...TextedMember[]];
  readonly words: string;
  readonly command: Command | null;
}

/** An intro that the text may be about. */
interface MemberIntro extends Choice, NamedIntro {
  readonly member: TextedMember;
}

interface Context extends MemberTextDeps, MemberText {
  readonly videos: readonly MemberIntro[];
  /** The last one comes first. */
  readonly replies: readonly MemberIntro[];
}

async function readIntros({ testClocks }: MemberTextDeps, { tx, reply }: MemberText, member: TextedMember) {
  const now = testClocks.now(member);
  const since = new Date(now.getTime() - LISTED_REPLIES_MS);
  const videos = await listVideosToRecord(tx, reply, member, now);
  const replies = member.forwardsReplies ? await listForwardedReplies(tx, reply, member, since) : [];
  return {
    videos: videos.map((intro): MemberIntro => ({ kind: 'video', member, ...intro })),
    replies: replies.map((intro): MemberIntro => ({ kind: 'reply', member, ...intro })),
  };
}

const isRecent = ({ testClocks }: Context, { member, textedAt }: MemberIntro, withinMs: number): boolean =>
  testClocks.now(member).getTime() - textedAt.getTime() < withinMs;

/** Asks what the text is about, and remembers the numbers of the choices. */
async function ask({ testClocks, tx, members }: Context, choices: readonly MemberIntro[]): Promise<string> {
  await replaceList(tx, members, choices.slice(0, MAX_CHOICES), testClocks.now(members[0]));
  return writeChoices(members[0].language, choices);
}

/** Null if the number is not on the member's list, or its intro is not one of these any more. */
async function pick({ testClocks, tx, members }: Context, number: number, among: readonly MemberIntro[]) {
  const since = new Date(testClocks.now(members[0]).getTime() - LIST_MS);
  const ids = await findListed(tx, members, number, since);
  return among.find(({ introId }) => ids.includes(introId)) ?? null;
}

function explain({ member: { language }, recipient }: MemberIntro, { code }: ApiError): string {
  const wording = inboundWording(language);
  if (code === 'intro_recorded') return wording.recorded(recipient);
  return code === 'rate_limited' ? wording.tooMany : wording.notYours(recipient);
}

/** The audit log and the timeline say that it was done with a text. The address of the carrier says nothing about the member. */
function asMember<T>({ reply: { requestId } }: Context, { member }: MemberIntro, work: () => T): T {
  const actor = { type: 'member', id: member.memberId } as const;
  return withOrigin({ actor, ip: null, userAgent: 'Text message', requestId: requestId ?? null }, work);
}

async function applyDecline(context: Context, video: MemberIntro, message: string | null): Promise<string> {
  const { tx, decline, testClocks } = context;
  const { member, introId, recipient } = video;
  const wanted = { introId, memberId: member.memberId, reason: 'other', message, byText: true } as const;
  const refusal = await asMember(context, video, () => decline(tx, member, wanted, testClocks.now(member)));
  return refusal === null ? inboundWording(member.language).declined(recipient) : explain(video, refusal);
}

async function applyHandOver(
  context: Context,
  video: MemberIntro,
  { name, number }: Extract<Command, { kind: 'hand_over' }>,
): Promise<string> {
  const { tx, reassign, testClocks } = context;
  const { member, introId, recipient } = video;
  const wording = inboundWording(member.language);
  const colleagues = matchColleagues(await listColleagues(tx, member, member.memberId), name);
  const [colleague, ...others] = colleagues;
  if (colleague === undefined) return wording.noColleague([...name].slice(0, MAX_NAME_LENGTH).join(''));
  if (others.length > 0) {
    const names = colleagues.slice(0, MAX_CHOICES).map((one) => one.name);
    return wording.severalColleagues(names.join(', '), wording.handOverCommand(number, colleague.name));
  }
  const wanted = { introId, from: member.memberId, to: colleague.id, byText: true };
  const refusal = await asMember(context, video, () =>
    handOver({ reassign }, tx, member, wanted, testClocks.now(member)),
  );
  return refusal === null ? wording.handedOver(recipient, colleague.name) : explain(video, refusal);
}

async function namesColleague({ tx, members }: Context, name: string): Promise<boolean> {
  const teams = await Promise.all(members.map((member) => listColleagues(tx, member, member.memberId)));
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
  const { words, command, members, videos, replies } = context;
  const wording = inboundWording(members[0].language);
  const [last, ...earlier] = replies;
  if (last === undefined) {
    if (command !== null && command.kind !== 'answer') return wording.nothingToRecord;
    const [video, ...more] = videos;
    if (video === undefined) return wording.noReader;
    return more.length === 0 ? wording.unclear(video.recipient) : ask(context, videos);
  }
  if (!isRecent(context, last, ANSWER_MS)) return ask(context, replies);
  const others = [...earlier.filter((reply) => isRecent(context, reply, ANSWER_MS)), ...videos];
  const isUnclear = others.some(
    ({ kind, member, textedAt }) =>
      (kind === 'reply' && member.organizationId !== last.member.organizationId) ||
      textedAt > last.textedAt ||
      isRecent(context, last, READING_MS),
  );
  return isUnclear ? ask(context, [last, ...others]) : sendAnswer(context, last, words);
}

/** Applies a text of a member, and returns the text that says what happened. */
export async function applyMemberText(deps: MemberTextDeps, text: MemberText): Promise<string> {
  const { members, command } = text;
  const intros = await Promise.all(members.map((member) => readIntros(deps, text, member)));
  const videos = intros.flatMap((one) => one.videos);
  const replies = intros.flatMap((one) => one.replies).sort((a, b) => b.textedAt.getTime() - a.textedAt.getTime());
  const context: Context = { ...deps, ...text, videos, replies };
  if (command?.kind === 'answer') {
    const chosen = await pick(context, command.number, replies);
    if (chosen !== null) return sendAnswer(context, chosen, command.words);
    return replies.length > 0 ? ask(context, replies) : applyWords(context);
  }
  if (command !== null && videos.length > 0) return applyToVideo(context, command);
  const isDecline = command !== null && isExplicit(command);
  return isDecline ? inboundWording(members[0].language).nothingToRecord : applyWords(context);
}

/**
 * Stores the member's answer with its text to the recipient, or changes nothing. The queue sends the text, within the sending
 * hours and the daily limits. Returns the text to the member.
 */
async function sendAnswer(
  { carriers, testClocks, tx, reply: { media = 0 } }: Context,
  { member, introId, recipient }: MemberIntro,
  words: string,
): Promise<string> {
  const { memberId, language, timezone } = member;
  const now = testClocks.now(member);
  const wording = inboundWording(language);
  const { length } = [...words];
  if (media > 0) return wording.answerWithMedia;
  if (length > TEXT_MAX_LENGTH) return wording.answerTooLong(length, TEXT_MAX_LENGTH);
  await lockIntro(tx, member, introId);
  const answer = { intro_id: introId, audience: 'recipient', purpose: 'answer', channel: 'text', round: 1 } as const;
  const [context] = await readContexts(tx, carriers, [newMessage(member, answer, now)]);
  if (context === undefined) return wording.answerClosed(recipient);
  const decision = decide(context, now);
  if (decision.kind === 'fail' && decision.code === 'recipient_opted_out') return wording.answerOptedOut(recipient);
  if (decision.kind === 'fail' || decision.kind === 'drop') return wording.answerClosed(recipient);
  const round = await storeAnswer(tx, member, { introId, memberId, message: words }, now);
  await insertMessages(tx, [{ ...context.message, round, address: context.intro.recipient_phone }]);
  await notifyMessagesDue(tx);
  if (decision.kind === 'send') return wording.answered(recipient);
  return wording.answeredLater(recipient, formatDeadline({ at: decision.until, timezone }, language));
}
