import type { Db, Tenant } from '../../db/tenancy.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { readAddress } from '../../platform/client-address.ts';
import { isSame } from '../../platform/seal.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import { findLink, findReplacedLink, insertLinks, insertReplacedLink, replaceLink } from './store.ts';
import {
  createTokens,
  type ExpiringLink,
  hashToken,
  hideTokens,
  type LinkKind,
  looksLikeToken,
  showTokens,
} from './tokens.ts';

interface Link {
  readonly tenant: Tenant;
  readonly introId: string;
}

/** A member's link. The generation increases when the intro is reassigned. */
interface RecordLink extends Link {
  readonly generation: number;
}

export interface FoundLink extends Link {
  /** Null: the link lives as long as its intro. */
  readonly expiresAt: Date | null;
}

/** Creates and resolves the links of members and recipients. */
export interface Links {
  /** The recorder's URL. It works while the intro is open and has not been reassigned since this generation. */
  recordUrl(introId: string, generation: number): string;
  /** A form of the recorder's URL that works until a time in whole seconds. Requires that the link is activated. */
  expiringRecordUrl(link: ExpiringLink): string;
  /** The recipient's page, on a link domain or at PUBLIC_URL. It works at PUBLIC_URL, whatever the host of the intro's link. */
  pageUrl(introId: string, host: string | null): string;
  /** Activates the link of a page. Only the hash of its token is stored, because the token can be derived again. */
  activate(db: Db, tenant: Tenant, introId: string, kinds: readonly ('page' | 'short')[]): Promise<void>;
  /** Activates members' links. */
  activateRecord(db: Db, links: readonly RecordLink[]): Promise<void>;
  /** Activates the link of the next member in place of the previous one, which `findReplaced` still finds. */
  renewRecord(db: Db, link: RecordLink): Promise<void>;
  /** The text as it may be stored, with marks in place of the intro's tokens. */
  hide(text: string, intro: Pick<RecordLink, 'introId' | 'generation'>): string;
  /** A stored text with its links, as it was sent. */
  show(hidden: string, introId: string): string;
  /** Finds the intro of a token; null for an unknown or replaced one. The link may have expired. */
  find(db: Db, kind: LinkKind, token: string): Promise<FoundLink | null>;
  /** Whether the token of a member's link has this generation: the intro may be reassigned after its link was found. */
  isOfGeneration(token: string, link: Pick<RecordLink, 'introId' | 'generation'>): boolean;
  /** Finds the intro of a member's link that was replaced. Null for a link that expires: it was for one use only. */
  findReplaced(db: Db, token: string): Promise<RecordLink | null>;
}

const PATHS = { record: 'r', page: 'i' } as const;
async function findWith(db: Db, kind: LinkKind, token: string, expiresAt: Date | null): Promise<FoundLink | null> {
  const link = await findLink(db, kind, hashToken(token));
  return link && { ...link, expiresAt };
}

/** The URL of a page never changes. */
const PAGE_GENERATION = 0;

export function createLinks(key: ServerKey, publicUrl: string): Links {
  const tokens = createTokens(key);
  const urlOf = (kind: 'record' | 'page', introId: string, generation: number) =>
    `${publicUrl}/${PATHS[kind]}/${tokens.tokenOf(kind, introId, generation)}`;
  const toRow = (kind: LinkKind, { tenant, introId }: Link, generation: number) => ({
    tenant,
    introId,
    kind,
    hash: hashToken(tokens.tokenOf(kind, introId, generation)),
  });
  return {
    recordUrl: (introId, generation) => urlOf('record', introId, generation),
    expiringRecordUrl: (link) => `${publicUrl}/${PATHS.record}/${tokens.expiringTokenOf(link)}`,
    pageUrl: (introId, host) =>
      host === null
        ? urlOf('page', introId, PAGE_GENERATION)
        : `https://${host}/${tokens.tokenOf('short', introId, PAGE_GENERATION)}`,
    activate: (db, tenant, introId, kinds) =>
      insertLinks(
        db,
        kinds.map((kind) => toRow(kind, { tenant, introId }, PAGE_GENERATION)),
      ),
    activateRecord: (db, links) =>
      insertLinks(
        db,
        links.map((link) => toRow('record', link, link.generation)),
      ),
    async renewRecord(db, link) {
      const generation = link.generation - 1;
      await insertReplacedLink(db, { ...toRow('record', link, generation), generation });
      await replaceLink(db, toRow('record', link, link.generation));
    },
    hide: (text, { introId, generation }) => hideTokens(tokens, text, introId, generation),
    show: (hidden, introId) => showTokens(tokens, hidden, introId),
    isOfGeneration: (token, { introId, generation }) =>
      looksLikeToken('record', token)
        ? isSame(tokens.tokenOf('record', introId, generation), token)
        : tokens.readExpiring(token)?.generation === generation,
    findReplaced: async (db, token) =>
      looksLikeToken('record', token) ? findReplacedLink(db, hashToken(token)) : null,
    async find(db, kind, token) {
      if (looksLikeToken(kind, token)) return findWith(db, kind, token, null);
      const expiring = kind === 'record' ? tokens.readExpiring(token) : null;
      if (expiring === null) return null;
      // It stands for the member's link, and stops working with it when the intro is reassigned.
      const { introId, generation, expiresAt } = expiring;
      return findWith(db, kind, tokens.tokenOf(kind, introId, generation), expiresAt);
    },
  };
}

/** Wrong links or keys allowed at once from one network, then one more per REFILL_MS. Real recipients follow correct links. */
const BURST = 30;
const REFILL_MS = 2_000;
const MAX_NETWORKS = 10_000;

interface Bucket {
  spent: number;
  sinceMs: number;
}

/**
 * Groups addresses by subscriber: providers assign a whole IPv6 /64 to one line. Everything that is not an address is one
 * network, so that a proxy's `unknown`, or something invented, gets no limit of its own.
 */
export function networkOf(text: string): string {
  const address = readAddress(text);
  if (address === null) return 'unknown';
  const bytes = address.toByteArray();
  return address.kind() === 'ipv6' ? Buffer.from(bytes.slice(0, 8)).toString('hex') : address.toString();
}

/** Slows down guessing links, sign-in codes and API keys. */
interface LinkRateLimit {
  /** Seconds to wait; null when requests are allowed. */
  waitS(address: string): number | null;
  noteMiss(address: string): void;
}

/** `nowMs` is a clock for durations. */
export function createLinkRateLimit(nowMs: () => number): LinkRateLimit {
  const buckets = new BoundedMap<string, Bucket>({ maxSize: MAX_NETWORKS });

  function refill(network: string): Bucket {
    const bucket = buckets.get(network) ?? { spent: 0, sinceMs: nowMs() };
    const refilled = Math.floor((nowMs() - bucket.sinceMs) / REFILL_MS);
    bucket.spent = Math.max(0, bucket.spent - refilled);
    bucket.sinceMs += refilled * REFILL_MS;
    return bucket;
  }

  return {
    waitS(address) {
      const network = networkOf(address);
      if (!buckets.has(network)) return null;
      const { spent, sinceMs } = refill(network);
      return spent < BURST ? null : Math.max(1, Math.ceil((sinceMs + REFILL_MS - nowMs()) / 1000));
    },
    noteMiss(address) {
      const network = networkOf(address);
      const bucket = refill(network);
      bucket.spent += 1;
      buckets.set(network, bucket);
    },
  };
}
