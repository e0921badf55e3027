import { expect, test } from 'vitest';
import { openCarriers, sealAccount } from '../../src/delivery/index.ts';
import { createSeal } from '../../src/platform/seal.ts';

const NUMBER = '+13125550199';
const ACCOUNT = { accountSid: 'AC1', authToken: 'secret' };
const seal = createSeal(Buffer.alloc(32, 7));
const organizationId = 'org_1';
const twilio = (sender: { from: string } | { messagingServiceSid: string }) =>
  ({ carrier: 'twilio', account: { ...ACCOUNT, sender } }) as const;
const numberOf = (text: Parameters<typeof openCarriers>[0]['text'], sealed: Buffer | null = null) =>
  openCarriers({ text, mail: undefined, twilioApiUrl: 'http://127.0.0.1' }, { seal, clock: () => new Date() }).numberOf(
    { organizationId, sealed },
  );
const own = (from: string, key = seal) => sealAccount(key, organizationId, { ...ACCOUNT, sender: { from } });

test.each([
  ['without a carrier', { carrier: 'log' }, null, null],
  ['of the service', twilio({ from: NUMBER }), null, NUMBER],
  ["of the organization's own account", { carrier: 'log' }, own(NUMBER), NUMBER],
  ['that its carrier chooses', twilio({ messagingServiceSid: 'MG1' }), null, null],
  ['that is a name', twilio({ from: 'ACME' }), null, null],
  ['of an account that cannot be read', twilio({ from: NUMBER }), own(NUMBER, createSeal(Buffer.alloc(32, 8))), null],
] as const)('finds the number that texts come from: one %s', (_what, text, sealed, expected) => {
  expect(numberOf(text, sealed)).toBe(expected);
});
