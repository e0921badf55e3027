import { timingSafeEqual } from 'node:crypto';
import { hmac } from '../../platform/hmac.ts';
import type { ServerKey } from '../../platform/server-key.ts';

/** The owner that a link belongs to. */
export interface SummaryRecipient {
  readonly organizationId: string;
  readonly memberId: string;
}

/** Links that turn the summary off without signing in. Nothing about them is stored. */
export interface OffLinks {
  urlOf(recipient: SummaryRecipient): string;
  /** Null unless this service has signed the token. */
  read(token: string): SummaryRecipient | null;
}

const PURPOSE = 'link that turns the weekly summary off';

export const OFF_PATH = '/weekly-summary/off';

export function createOffLinks(serverKey: ServerKey, publicUrl: string): OffLinks {
  const sign = (key: Buffer, recipient: string): string => hmac(key, recipient).toString('base64url');
  const isSignedWith = (key: Buffer, recipient: string, signature: string): boolean => {
    const [given, right] = [Buffer.from(signature), Buffer.from(sign(key, recipient))];
    return given.length === right.length && timingSafeEqual(given, right);
  };
  return {
    urlOf({ organizationId, memberId }) {
      const recipient = `${organizationId}.${memberId}`;
      return `${publicUrl}${OFF_PATH}/${recipient}.${sign(serverKey.current(PURPOSE).key, recipient)}`;
    },
    read(token) {
      const [organizationId = '', memberId = '', signature = '', ...rest] = token.split('.');
      const recipient = `${organizationId}.${memberId}`;
      const isSigned = serverKey.all(PURPOSE).some(({ key }) => isSignedWith(key, recipient, signature));
      return rest.length === 0 && isSigned ? { organizationId, memberId } : null;
    },
  };
}
