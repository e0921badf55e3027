import { createHash } from 'node:crypto';
import type { Role } from '@foreword/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db.ts';
import { newId, randomBase62 } from '../../platform/ids.ts';
import type { Tables, Tenant } from '../../tables.ts';
import {
  describeDevice,
  LINK_LIFE_MS,
  LINKS_AT_ONCE,
  LINKS_FROM_ONE_PLACE,
  PREVIOUS_LIFE_MS,
  ROTATE_AFTER_MS,
  SEEN_EVERY_MS,
} from './rules.ts';
import {
  countLinksSince,
  type FoundSession,
  findInvited,
  findLink,
  findSession,
  type Invited,
  insertLink,
  insertSession,
  lockLinkRequests,
  noteSeen,
  rotate,
  type SignInLinkRow,
  settleRotation,
  useLink,
} from './store.ts';

/** 190 bits. */
const SECRET_LENGTH = 32;

export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();
export const createSecret = (): string => randomBase62(SECRET_LENGTH);
export const looksLikeSecret = (text: string): boolean => text.length === SECRET_LENGTH && /^[0-9A-Za-z]+$/.test(text);

/** Who is signed in. */
export interface ConsoleUser {
  readonly tenant: Tenant;
  readonly memberId: string;
  readonly role: Role;
  readonly sessionId: string;
}

export interface SignedIn extends ConsoleUser {
  readonly row: FoundSession;
  /** Known by the cookie before the last change. */
  readonly isPrevious: boolean;
}

/** A link for a member of one's own choice; whoever opens it has to say so by a button, since nobody asked for it. */
export async function createLink(
  db: Queryable<Tables>,
  now: Date,
  member: Pick<Invited, 'tenant' | 'id'>,
  asked: Asked | { readonly browserHash: null; readonly from: null; readonly next: string },
): Promise<string> {
  const secret = createSecret();
  await insertLink(db, {
    organization_id: member.tenant.organizationId,
    environment: member.tenant.environment,
    id: newId('sin', now),
    member_id: member.id,
    hash: hashSecret(secret),
    browser_hash: asked.browserHash,
    asked_from: asked.from,
    next_path: asked.next,
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

/** By which browser and from where, both as hashes, and for which page. */
export interface Asked {
  readonly browserHash: Buffer;
  readonly from: Buffer;
  readonly next: string;
}

export interface Sessions {
  /** Null when this member got as many links as are of use. */
  ask(member: Invited, asked: Asked): Promise<string | null>;
  /** Null for a link that is unknown, used or too old, or whose member was deactivated. */
  look(secret: string): Promise<OpenLink | null>;
  /** Signs in, once. Null when the link was used meanwhile. Gives what the cookie holds. */
  redeem(open: OpenLink, userAgent: string | undefined): Promise<string | null>;
  begin(db: Queryable<Tables>, member: Pick<Invited, 'tenant' | 'id'>, userAgent: string | undefined): Promise<string>;
  find(secret: string): Promise<SignedIn | null>;
  /** A new secret for the cookie, when the old one has been in use for long. */
  refresh(signedIn: SignedIn, secret: string): Promise<string | null>;
}

export function createSessions({ db, clock }: { db: Database<Tables>; clock: Clock }): Sessions {
  async function begin(
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
    async ask(member, asked) {
      const now = clock();
      const since = new Date(now.getTime() - LINK_LIFE_MS);
      return db.kysely.transaction().execute(async (tx) => {
        // Those who ask at the same moment would all count none.
        await lockLinkRequests(tx, member.id);
        const { all, fromThere } = await countLinksSince(tx, member, asked.from, since);
        const isEnough = all >= LINKS_AT_ONCE || fromThere >= LINKS_FROM_ONE_PLACE;
        return isEnough ? null : createLink(tx, now, member, asked);
      });
    },
    async look(secret) {
      const link = await findLink(db.kysely, hashSecret(secret), clock());
      if (link === null) return null;
      const tenant = { organizationId: link.organization_id, environment: link.environment };
      const member = await findInvited(db.kysely, tenant, link.member_id);
      return member && { link, member };
    },
    redeem: ({ link, member }, userAgent) =>
      db.kysely
        .transaction()
        .execute(async (tx) => ((await useLink(tx, link, clock())) ? begin(tx, member, userAgent) : null)),
    begin,
    async find(secret) {
      const now = clock();
      const hash = hashSecret(secret);
      const row = await findSession(db.kysely, hash, now);
      if (row === null) return null;
      const tenant: Tenant = { organizationId: row.organization_id, environment: row.environment };
      if (now.getTime() - row.seen_at.getTime() > SEEN_EVERY_MS) await noteSeen(db.kysely, tenant, row.id, now);
      if (!row.isPrevious && row.previous_hash !== null && row.previous_until === null) {
        const previousUntil = new Date(now.getTime() + PREVIOUS_LIFE_MS);
        await settleRotation(db.kysely, tenant, { id: row.id, current: hash, previousUntil });
      }
      return { tenant, memberId: row.member_id, role: row.role, sessionId: row.id, row, isPrevious: row.isPrevious };
    },
    async refresh({ tenant, row, isPrevious }, secret) {
      const now = clock();
      // One that was changed a while ago and still comes back did not get to know the new one.
      const afterMs = isPrevious ? PREVIOUS_LIFE_MS : ROTATE_AFTER_MS;
      if (now.getTime() - row.rotated_at.getTime() < afterMs) return null;
      const fresh = createSecret();
      const change = { id: row.id, from: hashSecret(secret), isPrevious, to: hashSecret(fresh), now };
      return (await rotate(db.kysely, tenant, change)) ? fresh : null;
    },
  };
}
