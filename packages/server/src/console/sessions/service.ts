/** Folder: sessions: cookies, rotation and ending them. */

import type { Role, SignInFailure } from '@foreword/contract';
import { columnsOf, type Database, type Db, type Tenant, type Tx, tenantOf } from '../../db/tenancy.ts';
import type { Caller } from '../../http/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId, randomBase62 } from '../../platform/ids.ts';
import { sha256 } from '../../platform/seal.ts';
import { recordChange } from '../../privacy/audit/index.ts';
import { relyingPartyOf } from '../passkeys/rules.ts';
import {
  decideEmail,
  decideStep,
  describeDevice,
  LINK_LIFE_MS,
  LINKS_COUNT_FOR_MS,
  PREVIOUS_LIFE_MS,
  ROTATE_AFTER_MS,
  SEEN_EVERY_MS,
  type SignInStep,
} from './rules.ts';
import {
  confirmRotation,
  deleteLink,
  type FoundSession,
  findInvited,
  findLink,
  findSession,
  hasUnusedLink,
  type Invited,
  insertLink,
  insertSession,
  listUnusedLinks,
  lockLinkRequests,
  rotate,
  type SignInLinkRow,
  updateSeenAt,
  useLink,
} from './store.ts';

/** 190 bits. */
const SECRET_LENGTH = 32;

export const createSecret = (): string => randomBase62(SECRET_LENGTH);
export const looksLikeSecret = (text: string): boolean => text.length === SECRET_LENGTH && /^[0-9A-Za-z]+$/.test(text);

/** A signed-in member, also as the caller of operations. */
export interface ConsoleUser extends Caller {
  readonly tenant: Tenant;
  readonly by: string;
  readonly memberId: string;
  readonly role: Role;
  readonly sessionId: string;
}

export interface SignedIn extends ConsoleUser {
  readonly row: FoundSession;
  /** The step that is missing before the session opens the console. */
  readonly step: SignInStep;
  /** The request sent the secret from before the last rotation. */
  readonly isPrevious: boolean;
}

/** Where a link was requested, and the page to open after signing in. */
export interface LinkOrigin {
  readonly browserHash: Buffer;
  readonly networkHash: Buffer;
  /** Whether the member has signed in before in this browser. */
  readonly isKnownBrowser: boolean;
  readonly next: string;
}

/** Creates a sign-in link. Without an origin (an operator's link), opening it shows a button first. */
export async function createLink(
  db: Db,
  now: Date,
  member: Pick<Invited, 'tenant' | 'id'>,
  origin: LinkOrigin | null,
): Promise<string> {
  const secret = createSecret();
  await insertLink(db, {
    ...columnsOf(member.tenant),
    id: newId('sin', now),
    member_id: member.id,
    hash: sha256(secret),
    browser_hash: origin?.browserHash ?? null,
    requested_from: origin?.networkHash ?? null,
    from_known_browser: origin?.isKnownBrowser ?? false,
    next_path: origin?.next ?? '/console',
    created_at: now,
    expires_at: new Date(now.getTime() + LINK_LIFE_MS),
    used_at: null,
  });
  return secret;
}

export interface OpenLink {
  readonly link: SignInLinkRow;
  readonly member: Invited;
}

/** A link to send, with its secret. */
interface NewLink {
  readonly member: Invited;
  readonly secret: string;
}

async function startSession(
  within: Db,
  now: Date,
  member: Pick<Invited, 'tenant' | 'id'>,
  userAgent: string | undefined,
): Promise<string> {
  const secret = createSecret();
  await insertSession(within, {
    ...columnsOf(member.tenant),
    id: newId('ses', now),
    member_id: member.id,
    hash: sha256(secret),
    previous_hash: null,
    previous_until: null,
    device: describeDevice(userAgent),
    created_at: now,
    rotated_at: now,
    seen_at: now,
    ended_at: null,
    second_factor_at: null,
    challenge: null,
    challenge_for: null,
    challenge_expires_at: null,
  });
  return secret;
}

/** Signs in. Records it unless a passkey is still missing: that step records it then. */
async function signIn(
  tx: Tx,
  { now, canAddPasskeys }: { readonly now: Date; readonly canAddPasskeys: boolean },
  member: Pick<Invited, 'tenant' | 'id'>,
  userAgent: string | undefined,
): Promise<string> {
  const secret = await startSession(tx, now, member, userAgent);
  const session = await findSession(tx, sha256(secret), now);
  if (session !== null && decideStep(session, { now, canAddPasskeys }) === 'done') {
    await recordChange(tx, member.tenant, { action: 'session.started', object: session.id, by: member.id });
  }
  return secret;
}

export function createSessions(deps: { db: Database; clock: Clock; publicUrl: string }) {
  const { db, clock } = deps;
  const canAddPasskeys = relyingPartyOf(deps.publicUrl) !== null;
  const start = (tx: Tx, member: Pick<Invited, 'tenant' | 'id'>, userAgent: string | undefined) =>
    signIn(tx, { now: clock(), canAddPasskeys }, member, userAgent);

  return {
    /** Creates links for the members with this address, except those who have reached the limit. */
    async requestLinks(email: string, members: readonly Invited[], origin: LinkOrigin): Promise<NewLink[]> {
      const now = clock();
      const since = new Date(now.getTime() - LINKS_COUNT_FOR_MS);
      return db.kysely.transaction().execute(async (tx) => {
        // Without the lock, concurrent requests would all pass the limit.
        await lockLinkRequests(tx, email);
        const sent = (await Promise.all(members.map((member) => listUnusedLinks(tx, member, since)))).flat();
        const links: NewLink[] = [];
        for (const member of members) {
          const request = {
            memberId: member.id,
            network: origin.networkHash,
            isKnownBrowser: origin.isKnownBrowser,
            now,
          };
          const countsFor = decideEmail(request, sent);
          if (countsFor === null) continue;
          const secret = await createLink(tx, now, member, { ...origin, isKnownBrowser: countsFor === 'known' });
          links.push({ member, secret });
        }
        return links;
      });
    },
    /** Deletes a link whose email could not be sent, so that it does not count. */
    discardLink: ({ member, secret }: NewLink) => deleteLink(db.kysely, member.tenant, sha256(secret)),
    /** Whether a link that this browser requested for the member was sent and not used. */
    hasOwnLink: (member: Invited, browserHash: Buffer) =>
      hasUnusedLink(db.kysely, member, browserHash, new Date(clock().getTime() - LINK_LIFE_MS)),
    /** Null for an unknown link. The member is null if it was used or has expired, or the member was deactivated. */
    async findLink(secret: string): Promise<OpenLink | { readonly link: SignInLinkRow; readonly member: null } | null> {
      const link = await findLink(db.kysely, sha256(secret));
      if (link === null) return null;
      const isOpen = link.used_at === null && link.expires_at > clock();
      return { link, member: isOpen ? await findInvited(db.kysely, tenantOf(link), link.member_id) : null };
    },
    /** Signs in once and returns the cookie's secret. Null when the link was used meanwhile. */
    redeem: ({ link, member }: OpenLink, userAgent: string | undefined) =>
      db.kysely
        .transaction()
        .execute(async (tx) => ((await useLink(tx, link, clock())) ? start(tx, member, userAgent) : null)),
    /** Signs in a member that the company's account identifies. */
    start: (member: Pick<Invited, 'tenant' | 'id'>, userAgent: string | undefined) =>
      db.kysely.transaction().execute((tx) => start(tx, member, userAgent)),
    /** Records that a link of a known organization was refused. */
    recordFailure: (link: SignInLinkRow, reason: SignInFailure) =>
      recordChange(db.kysely, tenantOf(link), { action: 'session.failed', object: link.member_id, reason }),
    async find(secret: string): Promise<SignedIn | null> {
      const now = clock();
      const hash = sha256(secret);
      const row = await findSession(db.kysely, hash, now);
      const step = row && decideStep(row, { now, canAddPasskeys });
      if (row === null || step === null) return null;
      const tenant: Tenant = tenantOf(row);
      if (now.getTime() - row.seen_at.getTime() > SEEN_EVERY_MS) await updateSeenAt(db.kysely, tenant, row.id, now);
      if (!row.isPrevious && row.previous_hash !== null && row.previous_until === null) {
        const previousUntil = new Date(now.getTime() + PREVIOUS_LIFE_MS);
        await confirmRotation(db.kysely, tenant, { id: row.id, current: hash, previousUntil });
      }
      return {
        ...tenant,
        tenant,
        by: row.member_id,
        memberId: row.member_id,
        role: row.role,
        sessionId: row.id,
        row,
        step,
        isPrevious: row.isPrevious,
      };
    },
    /** Returns a new secret for the cookie when the old one is due for rotation. */
    async refresh({ tenant, row, isPrevious }: SignedIn, secret: string): Promise<string | null> {
      const now = clock();
      // A browser that still sends the previous secret never received the response with the new one.
      const afterMs = isPrevious ? PREVIOUS_LIFE_MS : ROTATE_AFTER_MS;
      if (now.getTime() - row.rotated_at.getTime() < afterMs) return null;
      const fresh = createSecret();
      const change = { id: row.id, from: sha256(secret), isPrevious, to: sha256(fresh), now };
      return (await rotate(db.kysely, tenant, change)) ? fresh : null;
    },
  };
}

export type Sessions = ReturnType<typeof createSessions>;
