import { timingSafeEqual } from 'node:crypto';
import { hmac } from '../../platform/hmac.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import type { ServerKey } from '../../platform/server-key.ts';

/** An email that this service sent to this address. */
export interface SentEmail {
  readonly organizationId: string;
  readonly id: string;
  readonly address: string;
}

/** Identifies emails in reports of bounces. Nothing about them is stored, so emails that are never stored have one, too. */
export interface MessageTokens {
  /** For the Message-ID and the envelope. Only the recipient and the mail servers see it. */
  tokenOf(email: SentEmail): string;
  /** The email that a report is about. Null unless a token was made for one of the addresses. */
  find(tokens: readonly string[], addresses: readonly string[]): SentEmail | null;
}

/** 128 bits, so that the whole token fits into the 100 characters of an envelope id (RFC 3461). */
const SIGNATURE_DIGITS = 32;

export function createMessageTokens(serverKey: Pick<ServerKey, 'derive'>): MessageTokens {
  const key = serverKey.derive('token of an email');
  const signatureOf = ({ organizationId, id, address }: SentEmail): string =>
    hmac(key, `${organizationId}.${id}.${address.toLowerCase()}`).toString('hex').slice(0, SIGNATURE_DIGITS);
  const isSigned = (email: SentEmail, signature: string): boolean => {
    const [given, right] = [Buffer.from(signature), Buffer.from(signatureOf(email))];
    return given.length === right.length && timingSafeEqual(given, right);
  };
  return {
    tokenOf: (email) => `${email.id}.${email.organizationId}.${signatureOf(email)}`,
    find(tokens, addresses) {
      for (const token of tokens) {
        // Some mail servers change the case.
        const [id = '', organizationId = '', signature = ''] = token.toLowerCase().split('.');
        if (!ID_PATTERN.test(id) || !ID_PATTERN.test(organizationId)) continue;
        for (const address of addresses) {
          const email = { organizationId, id, address: address.toLowerCase() };
          if (isSigned(email, signature)) return email;
        }
      }
      return null;
    },
  };
}
