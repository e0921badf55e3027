import { Phone } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { Type } from 'typebox';
import type { Tables } from '../db/tenancy.ts';
import { sealAccount } from '../delivery/index.ts';
import { sealWith } from '../platform/seal.ts';
import { SEAL_PURPOSE } from '../webhooks/index.ts';
import { UsageError } from './failure.ts';
import { openKey } from './server-key.ts';

/** Options of `foreword delivery set` for an organization's own Twilio account. */
export const TwilioOptions = {
  'twilio-account-sid': Type.Optional(
    Type.String({
      pattern: '^(AC[0-9a-f]{32}|none)$',
      'x-problem': 'must be a Twilio account SID (AC and 32 hexadecimal digits) or none',
      description: 'Twilio account of the organization. "none" uses the account of the service.',
    }),
  ),
  'twilio-auth-token': Type.Optional(
    Type.String({ minLength: 1, description: 'Auth token of that account. Stored encrypted.' }),
  ),
  'twilio-from': Type.Optional(Phone),
  'twilio-messaging-service-sid': Type.Optional(
    Type.String({
      pattern: '^MG[0-9a-f]{32}$',
      'x-problem': 'must be the SID of a messaging service (MG and 32 hexadecimal digits)',
      description: 'Messaging service of that account, instead of a number.',
    }),
  ),
};
type Input = { readonly [Name in keyof typeof TwilioOptions]?: string };

export function checkTwilioOptions(input: Input): void {
  const isOwn = input['twilio-account-sid'] !== undefined && input['twilio-account-sid'] !== 'none';
  const token = input['twilio-auth-token'];
  const senders = [input['twilio-from'], input['twilio-messaging-service-sid']].filter((one) => one !== undefined);
  if (isOwn && (token === undefined || senders.length !== 1)) {
    throw new UsageError(
      '--twilio-account-sid also needs --twilio-auth-token, and either --twilio-from or --twilio-messaging-service-sid.',
    );
  }
  if (!isOwn && (token !== undefined || senders.length > 0)) {
    throw new UsageError(
      '--twilio-auth-token, --twilio-from and --twilio-messaging-service-sid need --twilio-account-sid.',
    );
  }
}

/** The account, sealed with the service's key so that the service can open it. Null: the account of the service. */
export async function sealTwilioAccount(
  tx: Transaction<Tables>,
  organizationId: string,
  input: Input,
): Promise<Buffer | null> {
  const accountSid = input['twilio-account-sid'];
  if (accountSid === undefined || accountSid === 'none') return null;
  const service = input['twilio-messaging-service-sid'];
  return sealAccount(sealWith(await openKey(tx), SEAL_PURPOSE), organizationId, {
    accountSid,
    authToken: input['twilio-auth-token'] ?? '',
    sender: service === undefined ? { from: input['twilio-from'] ?? '' } : { messagingServiceSid: service },
  });
}
