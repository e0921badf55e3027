import { createHash } from 'node:crypto';
import type { Role } from '@foreword/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db.ts';
import { newId, randomBase62 } from '../../platform/ids.ts';
import type { Tables, Tenant } from '../../tables.ts';
import {
  describeDevice,
  LINK_LIFE_MS,
  MAX_LINKS,
  MAX_LINKS_PER_NETWORK,
  PREVIOUS_LIFE_MS,
  ROTATE_AFTER_MS,
  SEEN_EVERY_MS,
} from './rules.ts';
import {
  confirmRotation,
  countLinksSince,
  type FoundSession,
  findInvited,
  findLink,
  findSession,
  type Invited,
  insertLink,
  insertSession,
  lockLinkRequests,
  rotate,
  type SignInLinkRow,
  updateSeenAt,
  useLink,
} from './store.ts';

/** 190 bits. */
const SECRET_LENGTH = 32;

export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();
export const createSecret = (): string => randomBase62(SECRET_LENGTH);
export const looksLikeSecret = (text: string): boolean => text.length === SECRET_LENGTH && /^[0-9A-Za-z]+$/.test(text);

export interface ConsoleUser {
  readonly tenant: Tenant;
  readonly memberId: string;
  readonly role: Role;
  readonly sessionId: string;
}

export interface SignedIn extends ConsoleUser {
  readonly row: FoundSession;
  /** The request sent the secret from before the last rotation. */
  readonly isPrevious: boolean;
}

/** Creates a sign-in link. Without an origin (an operator's link), opening it shows a button first. */
export async function createLink(
  db: Queryable<Tables>,
  now: Date,
  member: Pick<Invited, 'tenant' | 'id'>,
  origin: LinkOrigin | { readonly browserHash: null; readonly networkHash: null; readonly next: string },
): Promise<string> {
  const secret = createSecret();
  await insertLink(db, {
    organization_id: member.tenant.organizationId,
    environment: member.tenant.environment,
    id: newId('sin', now),
    member_id: member.id,
    hash: hashSecret(secret),
    browser_hash: origin.browserHash,
    asked_from: origin.networkHash,
    next_path: origin.next,
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

/** Where a link was requested, and the page to open after signing in. */
export interface LinkOrigin {
  readonly browserHash: Buffer;
  readonly networkHash: Buffer;
  readonly next: string;
}

export interface Sessions {
  /** Returns the link's secret; null when the member has reached the limit. */
  requestLink(member: Invited, origin: LinkOrigin): Promise<string | null>;
  /** Null for a link that is unknown, used or expired, or whose member was deactivated. */
  findLink(secret: string): Promise<OpenLink | null>;
  /** Signs in once and returns the cookie's secret. Null when the link was used meanwhile. */
  redeem(open: OpenLink, userAgent: string | undefined): Promise<string | null>;
  start(db: Queryable<Tables>, member: Pick<Invited, 'tenant' | 'id'>, userAgent: string | undefined): Promise<string>;
  find(secret: string): Promise<SignedIn | null>;
  /** Returns a new secret for the cookie when the old one is due for rotation. */
  refresh(signedIn: SignedIn, secret: string): Promise<string | null>;
}

export function createSessions({ db, clock }: { db: Database<Tables>; clock: Clock }): Sessions {
  async function start(
    within: Queryable<Tables>,
    member: Pick<Invited, 'tenant' | 'id'>,
    userAgent: string | undefined,
  ): Promise<string> {
    const now = clock();
    const secret = createSecret();
    await insertSession(within, {
      organization_id: member.tenant.organizationId,
      environment: member.tenant.environment,
      id: newId('ses', now),
      member_id: member.id,
      hash: hashSecret(secret),
      previous_hash: null,
      previous_until: null,
      device: describeDevice(userAgent),
      created_at: now,
      rotated_at: now,
      seen_at: now,
      ended_at: null,
    });
    return secret;
  }

  return {
    async requestLink(member, origin) {
      const now = clock();
      const since = new Date(now.getTime() - LINK_LIFE_MS);
      return db.kysely.transaction().execute(async (tx) => {
        // Without the lock, concurrent requests would all pass the limit.
        await lockLinkRequests(tx, member.id);
        const { total, fromNetwork } = await countLinksSince(tx, member, origin.networkHash, since);
        const isAtLimit = total >= MAX_LINKS || fromNetwork >= MAX_LINKS_PER_NETWORK;
        return isAtLimit ? null : createLink(tx, now, member, origin);
      });
    },
    async findLink(secret) {
      const link = await findLink(db.kysely, hashSecret(secret), clock());
      if (link === null) return null;
      const tenant = { organizationId: link.organization_id, environment: link.environment };
      const member = await findInvited(db.kysely, tenant, link.member_id);
      return member && { link, member };
    },
    redeem: ({ link, member }, userAgent) =>
      db.kysely
        .transaction()
        .execute(async (tx) => ((await useLink(tx, link, clock())) ? start(tx, member, userAgent) : null)),
    start,
    async find(secret) {
      const now = clock();
      const hash = hashSecret(secret);
      const row = await findSession(db.kysely, hash, now);
      if (row === null) return null;
      const tenant: Tenant = { organizationId: row.organization_id, environment: row.environment };
      if (now.getTime() - row.seen_at.getTime() > SEEN_EVERY_MS) await updateSeenAt(db.kysely, tenant, row.id, now);
      if (!row.isPrevious && row.previous_hash !== null && row.previous_until === null) {
        const previousUntil = new Date(now.getTime() + PREVIOUS_LIFE_MS);
        await confirmRotation(db.kysely, tenant, { id: row.id, current: hash, previousUntil });
      }
      return { tenant, memberId: row.member_id, role: row.role, sessionId: row.id, row, isPrevious: row.isPrevious };
    },
    async refresh({ tenant, row, isPrevious }, secret) {
      const now = clock();
      // A browser that still sends the previous secret never received the response with the new one.
      const afterMs = isPrevious ? PREVIOUS_LIFE_MS : ROTATE_AFTER_MS;
      if (now.getTime() - row.rotated_at.getTime() < afterMs) return null;
      const fresh = createSecret();
      const change = { id: row.id, from: hashSecret(secret), isPrevious, to: hashSecret(fresh), now };
      return (await rotate(db.kysely, tenant, change)) ? fresh : null;
    },
  };
}
