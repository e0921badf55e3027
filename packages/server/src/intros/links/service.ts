import type { Db, Tenant } from '../../db/tenancy.ts';
import { createBurstLimit } from '../../platform/burst-limit.ts';
import { readAddress } from '../../platform/client-address.ts';
import { isSame, sha256 } from '../../platform/seal.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import { findLink, findReplacedLink, insertLinks, insertReplacedLinks, replaceLinks } from './store.ts';
import { createTokens, type ExpiringLink, hideTokens, type LinkKind, looksLikeToken, showTokens } from './tokens.ts';

type Link = { readonly tenant: Tenant; readonly introId: string };

/** A member's link. The generation increases when the intro is reassigned. */
type RecordLink = Link & { readonly generation: number };

export interface FoundLink extends Link {
  /** Null: the link lives as long as its intro. */
  readonly expiresAt: Date | null;
}

const PATHS = { record: 'r', page: 'i' } as const;
async function findWith(db: Db, kind: LinkKind, token: string, expiresAt: Date | null): Promise<FoundLink | null> {
  const link = await findLink(db, kind, sha256(token));
  return link && { ...link, expiresAt };
}

/** The URL of a page never changes. */
const PAGE_GENERATION = 0;

/** Creates and resolves the links of members and recipients. */
export type Links = ReturnType<typeof createLinks>;

export function createLinks(key: ServerKey, publicUrl: string) {
  const tokens = createTokens(key);
  const urlOf = (kind: 'record' | 'page', introId: string, generation: number) =>
    `${publicUrl}/${PATHS[kind]}/${tokens.tokenOf(kind, introId, generation)}`;
  const toRow = (kind: LinkKind, { tenant, introId }: Link, generation: number) => ({
    tenant,
    introId,
    kind,
    hash: sha256(tokens.tokenOf(kind, introId, generation)),
  });
  return {
    /** The recorder's URL. It works while the intro is open and has not been reassigned since this generation. */
    recordUrl: (introId: string, generation: number): string => urlOf('record', introId, generation),
    /** A form of the recorder's URL that works until a time in whole seconds. Requires that the link is activated. */
    expiringRecordUrl: (link: ExpiringLink): string => `${publicUrl}/${PATHS.record}/${tokens.expiringTokenOf(link)}`,
    /** The recipient's page, on a link domain or at PUBLIC_URL. It works at PUBLIC_URL, whatever the host of the intro's link. */
    pageUrl: (introId: string, host: string | null): string =>
      host === null
        ? urlOf('page', introId, PAGE_GENERATION)
        : `https://${host}/${tokens.tokenOf('short', introId, PAGE_GENERATION)}`,
    /** Activates the link of a page. Only the hash of its token is stored, because the token can be derived again. */
    activate: (db: Db, tenant: Tenant, introId: string, kinds: readonly ('page' | 'short')[]): Promise<void> =>
      insertLinks(
        db,
        kinds.map((kind) => toRow(kind, { tenant, introId }, PAGE_GENERATION)),
      ),
    /** Activates members' links. */
    activateRecord: (db: Db, links: readonly RecordLink[], options?: { readonly areFirst: boolean }): Promise<void> =>
      insertLinks(
        db,
        links.map((link) => toRow('record', link, link.generation)),
        options,
      ),
    /** Activates the links of the next member in place of the previous ones, which `findReplaced` still finds. */
    async renewRecords(db: Db, tenant: Tenant, links: readonly Omit<RecordLink, 'tenant'>[]): Promise<void> {
      const hashed = ({ introId }: { introId: string }, generation: number) => ({
        ...toRow('record', { tenant, introId }, generation),
        generation,
      });
      const replaced = links.map((link) => hashed(link, link.generation - 1));
      await insertReplacedLinks(db, tenant, replaced);
      const renewed = links.map((link) => hashed(link, link.generation));
      await replaceLinks(db, tenant, renewed);
    },
    /** The text as it may be stored, with marks in place of the intro's tokens. */
    hide: (text: string, { introId, generation }: Pick<RecordLink, 'introId' | 'generation'>): string =>
      hideTokens(tokens, text, introId, generation),
    /** A stored text with its links, as it was sent. */
    show: (hidden: string, introId: string): string => showTokens(tokens, hidden, introId),
    /** Whether the token of a member's link has this generation: the intro may be reassigned after its link was found. */
    isOfGeneration: (token: string, { introId, generation }: Pick<RecordLink, 'introId' | 'generation'>): boolean =>
      looksLikeToken('record', token)
        ? isSame(tokens.tokenOf('record', introId, generation), token)
        : tokens.readExpiring(token)?.generation === generation,
    /** Finds the intro of a member's link that was replaced. Null for a link that expires: it was for one use only. */
    findReplaced: async (db: Db, token: string): Promise<RecordLink | null> =>
      looksLikeToken('record', token) ? findReplacedLink(db, sha256(token)) : null,
    /** Finds the intro of a token; null for an unknown or replaced one. The link may have expired. */
    async find(db: Db, kind: LinkKind, token: string): Promise<FoundLink | null> {
      if (looksLikeToken(kind, token)) return findWith(db, kind, token, null);
      const expiring = kind === 'record' ? tokens.readExpiring(token) : null;
      if (expiring === null) return null;
      // It stands for the member's link, and stops working with it when the intro is reassigned.
      const { introId, generation, expiresAt } = expiring;
      return findWith(db, kind, tokens.tokenOf(kind, introId, generation), expiresAt);
    },
  };
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

/** Slows down guessing links, sign-in codes and API keys. Real recipients follow correct links. `nowMs` is a clock for durations. */
export function createLinkRateLimit(nowMs: () => number) {
  const limit = createBurstLimit({ burst: 30, refillMs: 2_000, maxKeys: 10_000, nowMs });
  return {
    /** Seconds to wait; null when requests are allowed. */
    waitS: (address: string): number | null => limit.waitS(networkOf(address)),
    noteMiss: (address: string): void => limit.spend(networkOf(address)),
  };
}
