import type { Row } from '../../db/tenancy.ts';
import { ID_PATTERN, parseBase62, toBase62 } from '../../platform/ids.ts';
import { hmac, isSame } from '../../platform/seal.ts';
import type { ServerKey } from '../../platform/server-key.ts';

/** `short`: another link to the page, for a link domain. */
export type LinkKind = Row<'links'>['kind'];

const KINDS: Readonly<Record<LinkKind, { readonly length: number; readonly purpose: string; readonly mark: string }>> =
  {
    // 71 bits: short enough for a text message, and infeasible to guess against a rate limit.
    page: { length: 12, purpose: 'link to a page', mark: 'i' },
    // The member's link can replace a video, so it is longer.
    record: { length: 22, purpose: 'link to a recorder', mark: 'r' },
    // 59 bits: the host is part of the link as well, and a link should have at most 30 characters.
    short: { length: 10, purpose: 'short link to a page', mark: 's' },
  };
/** The links of a few batches. */
const RECENT = 2_000;
const DIGITS_PER_WORD = 5;
const BYTES_PER_WORD = 6;

/** Takes five digits from each 48-bit word: because 62^5 is much smaller than 2^48, the bias is below 1 in 300,000. */
function digitsOf(mac: Buffer, length: number): string {
  let text = '';
  for (let at = 0; text.length < length; at += BYTES_PER_WORD) {
    text += toBase62(mac.readUIntBE(at, BYTES_PER_WORD), DIGITS_PER_WORD);
  }
  return text.slice(0, length);
}

/** A token of the member's link that expires: the intro, the generation, the expiry in seconds, and a signature over them. */
const EXPIRING_TOKEN = /^([0-9a-z]{26})([0-9A-Za-z]{3})([0-9A-Za-z]{6})([0-9A-Za-z]{22})$/;
const GENERATION_LENGTH = 3;
const EXPIRY_LENGTH = 6;
const INTRO_PREFIX = 'int_';

const EXPIRING_PURPOSE = 'expiring link to a recorder';

export interface ExpiringLink {
  readonly introId: string;
  readonly generation: number;
  /** In whole seconds. */
  readonly expiresAt: Date;
}

type Tokens = ReturnType<typeof createTokens>;

export function createTokens(key: ServerKey) {
  // One claim stores a link, writes it into a text and hides it again.
  const recent = new Map<string, string>();
  const expiringTokenOf = ({ introId, generation, expiresAt }: ExpiringLink): string => {
    const expiry = toBase62(expiresAt.getTime() / 1000, EXPIRY_LENGTH);
    const signed = introId.slice(INTRO_PREFIX.length) + toBase62(generation, GENERATION_LENGTH) + expiry;
    return signed + digitsOf(hmac(key.at(EXPIRING_PURPOSE, introId), signed), KINDS.record.length);
  };
  return {
    /** A token of the recorder that carries its own expiry, so that nothing about it is stored. */
    expiringTokenOf,
    /** Null unless this service has signed the token. It may have expired. */
    readExpiring(token: string): ExpiringLink | null {
      const [, id = '', generation = '', expiry = ''] = EXPIRING_TOKEN.exec(token) ?? [];
      const introId = INTRO_PREFIX + id;
      if (!ID_PATTERN.test(introId)) return null;
      const expiresAt = new Date(parseBase62(expiry) * 1000);
      const link = { introId, generation: parseBase62(generation), expiresAt };
      return isSame(expiringTokenOf(link), token) ? link : null;
    },
    /** Deterministic per intro and generation, so that links can be sent again without storing them. */
    tokenOf(kind: LinkKind, introId: string, generation: number): string {
      // The first generation has no number.
      const named = generation === 0 ? introId : `${introId} ${generation}`;
      const name = `${kind} ${named}`;
      const known = recent.get(name);
      if (known !== undefined) return known;
      const { purpose, length } = KINDS[kind];
      const token = digitsOf(hmac(key.at(purpose, introId), named), length);
      if (recent.size === RECENT) recent.clear();
      recent.set(name, token);
      return token;
    },
  };
}

export const looksLikeToken = (kind: LinkKind, text: string): boolean =>
  text.length === KINDS[kind].length && /^[0-9A-Za-z]+$/.test(text);

// Unicode reserves these characters for internal use. Text from outside loses them, so a mark cannot be forged.
const OPEN = '\ufdd0';
const CLOSE = '\ufdd1';
/** Words that may be tokens. */
const LONG_WORDS = new RegExp(`[0-9A-Za-z]{${KINDS.short.length},}`, 'g');
const RESERVED = /[\ufdd0\ufdd1]/g;
const MARK = /\ufdd0([ris])(\d+)\ufdd1/g;
const KIND_OF_MARK: Record<string, LinkKind> = { r: 'record', i: 'page', s: 'short' };

const markOf = (kind: LinkKind, generation: number): string => `${OPEN}${KINDS[kind].mark}${generation}${CLOSE}`;

/** Replaces the tokens of an intro in a text with marks, which open nothing. `generation` is the latest one. */
export function hideTokens(tokens: Tokens, text: string, introId: string, generation: number): string {
  let hidden = text.replaceAll(RESERVED, '\ufffd');
  const lengths = hidden.match(LONG_WORDS)?.map((word) => word.length) ?? [];
  const hide = (kind: LinkKind, upTo: number) => {
    // Each token takes 3 µs, and most texts have one link.
    if (!lengths.includes(KINDS[kind].length)) return;
    for (let each = 0; each <= upTo; each++) {
      hidden = hidden.replaceAll(tokens.tokenOf(kind, introId, each), markOf(kind, each));
    }
  };
  hide('page', 0);
  hide('short', 0);
  hide('record', generation);
  return hidden;
}

/** Puts the tokens back. */
export const showTokens = (tokens: Tokens, hidden: string, introId: string): string =>
  hidden.replaceAll(MARK, (_mark, letter: string, generation: string) =>
    tokens.tokenOf(KIND_OF_MARK[letter] ?? 'record', introId, Number(generation)),
  );

/** Removes anything that may be a link of this service from the text of another system, such as an error that quotes a message. */
export const redactLinks = (text: string): string =>
  text.replaceAll(/(?<=\/[ri]\/)[0-9A-Za-z]{12,}|(?<=:\/\/[^\s/]+\/)[0-9A-Za-z]{10}(?![0-9A-Za-z])/g, '…');
