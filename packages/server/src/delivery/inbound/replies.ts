import { DAY_MS, DEFAULT_LANGUAGE, MINUTE_MS, PAGE_LIFE_DAYS } from '@foreword/contract';
import type { Services } from '../../app/services.ts';
import type { Database, Tenant, Tx } from '../../db/tenancy.ts';
import { type Decline, type IntroEvents, lockForViewing, type Reassign, storeReply } from '../../intros/index.ts';
import { findOrganization, testTenant } from '../../organizations/index.ts';
import { createBurstLimit } from '../../platform/burst-limit.ts';
import { normalizePhone } from '../../platform/phone.ts';
import type { Carriers } from '../carriers/index.ts';
import { type Consents, recordConsent } from '../consents.ts';
import { QUESTION_MS } from '../queue/rules.ts';
import { findOpenQuestion, findOptOut, findReaderLanguage, findSenders, type Sender } from '../store/consents.ts';
import {
  findTextedIntros,
  findTextedMembers,
  insertReceivedText,
  lockSender,
  type Reply,
  type TextedIntro,
  type TextedMember,
} from '../store/inbound.ts';
import { unflagSender } from '../store/limits.ts';
import { makeDeliveriesDue, notifyOfReply } from '../store/queue.ts';
import { inboundWording, type KeywordReply, plainText, writeReply } from '../wording/texts.ts';
import { applyMemberText, type Command, isExplicit, readCommand } from './members.ts';
import { cleanText, isReaction, type Reading, type ReceivedKeyword, readReply } from './rules.ts';

/** The text to send back. */
type Response = KeywordReply | { readonly text: string };

export const writeResponse = (response: Response): string =>
  'text' in response ? plainText(response.text) : writeReply(response);

const PHONE = /^\+[1-9][0-9]{7,14}$/;

interface Deps extends Pick<Services, 'db' | 'clock' | 'testClocks' | 'log'> {
  readonly carriers: Carriers;
  readonly consents: Consents;
  readonly introEvents: IntroEvents;
  readonly decline: Decline;
  readonly reassign: Reassign;
}

async function findOrganizations(db: Database, { from, organizationId }: Reply): Promise<readonly Sender[]> {
  if (organizationId === null) return findSenders(db, from);
  // A reply to an organization's own number concerns that organization, even if it never texted the sender.
  const organization = await findOrganization(db.kysely, organizationId);
  return organization === null ? [] : [{ ...testTenant(organizationId), name: organization.name }];
}

/** A text, and who sent it, according to what was texted to the number. */
interface Received {
  readonly tx: Tx;
  readonly reply: Reply;
  /** Those that the text concerns. */
  readonly organizations: readonly Sender[];
  readonly words: string;
  readonly members: readonly TextedMember[];
  /** One intro for each organization. */
  readonly intros: readonly TextedIntro[];
  readonly command: Command | null;
}

/** The name of the only organization. */
const nameOf = ([only, ...others]: readonly Sender[]): string | null =>
  others.length === 0 ? (only?.name ?? null) : null;

async function applyKeyword(
  { db, testClocks, consents }: Deps,
  { tx, reply, organizations, members }: Received,
  { keyword, language: read }: ReceivedKeyword,
): Promise<KeywordReply> {
  const language = read ?? members[0]?.language ?? (await findReaderLanguage(db, reply.from, organizations));
  const isKnown = organizations.length > 0;
  const received = { keyword, language, organization: nameOf(organizations), isKnown };
  if (keyword === 'help') return { ...received, ...(members.length > 0 && { isMember: true }) };
  const consent = { phone: reply.from, source: 'text', said: reply.body } as const;
  for (const tenant of organizations) {
    await (keyword === 'stop' ? consents.optOut : consents.optIn)(tx, tenant, consent, testClocks.now(tenant));
  }
  await unflagSender(tx, reply);
  return received;
}

/** The organizations that asked the person in the last 24 hours whether to stop texts, or did not. */
async function listByQuestion({ testClocks }: Deps, { tx, reply, organizations }: Received, isAsked: boolean) {
  const found: { readonly tenant: Sender; readonly now: Date }[] = [];
  for (const tenant of organizations) {
    const now = testClocks.now(tenant);
    const open = await findOpenQuestion(tx, tenant, reply.from, new Date(now.getTime() - QUESTION_MS));
    if ((open !== null) === isAsked) found.push({ tenant, now });
  }
  return found;
}

/** Asks whether to stop texts, and holds them until the answer. Null if the person was asked already, or opted out. */
async function askOnce(deps: Deps, received: Received): Promise<string | null> {
  const { tx, reply, organizations } = received;
  const { from: phone, body: said } = reply;
  let isAsked = false;
  for (const { tenant, now } of await listByQuestion(deps, received, false)) {
    if ((await findOptOut(tx, tenant, phone)) !== undefined) continue;
    await recordConsent(tx, tenant, { phone, source: 'text', said }, 'asked', now);
    isAsked = true;
  }
  if (!isAsked) return null;
  const wording = inboundWording(await findReaderLanguage(deps.db, phone, organizations));
  const name = nameOf(organizations);
  return name === null ? wording.askFromUs : wording.ask(name);
}

/** Words that do not ask for an end of texts answer the question whether to stop them. */
async function endQuestion(deps: Deps, received: Received): Promise<void> {
  const { tx, reply } = received;
  const { from: phone, body: said } = reply;
  for (const { tenant, now } of await listByQuestion(deps, received, true)) {
    await recordConsent(tx, tenant, { phone, source: 'text', said }, 'answered', now);
    await makeDeliveriesDue(tx, tenant, phone, now);
  }
}

/**
 * A number may be a member's and a recipient's. Within one organization, the text replies to the last text. Between several, nothing
 * is guessed, so that no organization gets what was meant for another.
 */
function interpret({ members, intros, command }: Received): 'member' | 'recipient' | 'unclear' {
  const [member] = members;
  if (member === undefined) return intros.length > 1 ? 'unclear' : 'recipient';
  if (intros.length === 0 || (command !== null && isExplicit(command))) return 'member';
  const organizations = [...members, ...intros].map(({ organizationId }) => organizationId);
  if (new Set(organizations).size > 1) return 'unclear';
  const isMemberLast = intros.every(({ textedAt }) => textedAt <= member.textedAt);
  return isMemberLast ? 'member' : 'recipient';
}

/** A number that opted out gets no further text. */
async function hasOptedOut({ tx, reply, members, intros }: Received): Promise<boolean> {
  const found = await Promise.all([...members, ...intros].map((tenant) => findOptOut(tx, tenant, reply.from)));
  return found.some((optOut) => optOut !== undefined);
}

async function replyToIntro(deps: Deps, { tx, reply: { media = 0 }, words }: Received, intro: TextedIntro) {
  const { introId, teamLanguage } = intro;
  const attachment = media > 0 ? [inboundWording(teamLanguage).attachment] : [];
  const message = [words, ...attachment].filter((part) => part !== '').join(' ');
  await storeTextReply(deps, tx, { tenant: intro, introId }, message, deps.testClocks.now(intro));
}

async function receiveWords(deps: Deps, received: Received, mayBeOptOut: boolean): Promise<string | null> {
  const { members, intros, command } = received;
  const [member, ...others] = members;
  const [intro] = intros;
  const meaning = interpret(received);
  deps.log.info({ sender: meaning, command: command?.kind }, 'text received');
  const isQuestion = mayBeOptOut && meaning !== 'member';
  const question = isQuestion ? await askOnce(deps, received) : null;
  if (!isQuestion) await endQuestion(deps, received);
  if (question === null && meaning === 'unclear')
    return inboundWording(intro?.language ?? DEFAULT_LANGUAGE).unknownCompany;
  if (meaning === 'member' && member !== undefined) {
    return applyMemberText(deps, { ...received, members: [member, ...others] });
  }
  if (meaning === 'recipient' && intro !== undefined) await replyToIntro(deps, received, intro);
  return question;
}

/** More texts at once than a person writes. Without a limit, two machines could text each other forever. Keywords are not limited. */
const SENDER_LIMIT = { burst: 10, refillMs: MINUTE_MS, maxKeys: 10_000 };

export type Replies = ReturnType<typeof createReplies>;

export function createReplies(deps: Deps) {
  const { db, clock } = deps;
  const limit = createBurstLimit({ ...SENDER_LIMIT, nowMs: () => clock().getTime() });
  return {
    /**
     * Applies a text: a keyword, a command of a member, an answer of a member or a reply of a recipient. Null if there is nothing to say,
     * or it was reported before. Without `reported`, a repeat is applied again.
     */
    async receive(given: Reply): Promise<Response | null> {
      const reply = { ...given, from: normalizePhone(given.from) };
      const { from, body, media = 0, keyword = null, reported } = reply;
      if (!PHONE.test(from)) return null;
      const words = cleanText(body);
      if (keyword === null && ((words === '' && media === 0) || isReaction(words))) return null;
      const read = readReply(words);
      const reading: Reading = typeof read === 'string' && keyword !== null ? { keyword, language: null } : read;
      const organizations = await findOrganizations(db, reply);
      return db.kysely.transaction().execute(async (tx) => {
        if (reported !== undefined && !(await insertReceivedText(tx, reported, clock()))) return null;
        await lockSender(tx, from);
        const members = await findTextedMembers(tx, reply);
        const intros = await findTextedIntros(tx, reply);
        const command = members.length === 0 ? null : readCommand(words);
        const received = { tx, reply, organizations, words, members, intros, command };
        // "ANSWER 1 We stop work at 5": a member's command, whatever its words are.
        const isCommand = command !== null && isExplicit(command);
        if (typeof reading !== 'string' && !isCommand) return applyKeyword(deps, received, reading);
        if (limit.waitS(from) !== null) return null;
        limit.spend(from);
        const text = await receiveWords(deps, received, reading === 'ask');
        await unflagSender(tx, reply);
        return text === null || (await hasOptedOut(received)) ? null : { text };
      });
    },
  };
}

/**
 * Stores a reply to the text with its webhook and the notification of the member, all in the caller's transaction. `closed`: the page
 * shows no video any more.
 */
export async function storeTextReply(
  { introEvents }: { readonly introEvents: IntroEvents },
  tx: Tx,
  { tenant, introId }: { readonly tenant: Tenant; readonly introId: string },
  message: string,
  now: Date,
): Promise<'stored' | 'repeated' | 'too_many' | 'closed'> {
  const intro = await lockForViewing(tx, tenant, introId);
  if (intro?.status !== 'sent' || intro.sent_at === null || intro.taken_down_at !== null) return 'closed';
  if (intro.sent_at.getTime() + PAGE_LIFE_DAYS * DAY_MS <= now.getTime()) return 'closed';
  const outcome = await storeReply({ introEvents }, tx, { tenant, introId }, { type: 'message', message }, now);
  if (typeof outcome !== 'number') return outcome;
  await notifyOfReply(tx, tenant, { introId, number: outcome }, now);
  return 'stored';
}
