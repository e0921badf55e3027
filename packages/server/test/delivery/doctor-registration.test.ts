import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { checkCarriers } from '../../src/cli/doctor/carriers.ts';
import { readConfig } from '../../src/config.ts';
import { type CarrierService, startTwilioService, TWILIO } from './carrier-services.ts';

const SERVICE = `MG${'1'.repeat(32)}`;
const LOCAL = '+13125550100';
const TOLL_FREE = '+18885550100';
const NUMBERS = `/2010-04-01/Accounts/${TWILIO.accountSid}/IncomingPhoneNumbers.json`;
const CAMPAIGNS = `/v1/Services/${SERVICE}/Compliance/Usa2p`;

let service: CarrierService;
beforeAll(async () => {
  service = await startTwilioService();
});
beforeEach(() => {
  service.registration = {
    '/v1/Services': { services: [{ sid: SERVICE }] },
    [`/v1/Services/${SERVICE}/PhoneNumbers`]: { phone_numbers: [{ sid: 'PN1', phone_number: LOCAL }] },
    '/v1/a2p/BrandRegistrations': { data: [{ sid: 'BN1', status: 'APPROVED' }] },
    [NUMBERS]: { incoming_phone_numbers: [{ sid: 'PN2', phone_number: TOLL_FREE }] },
  };
});
afterAll(() => service.close());

async function examine(sender: Record<string, string>) {
  const config = readConfig({
    DATA_DIR: '/nowhere',
    SMS_CARRIER: 'twilio',
    TWILIO_API_URL: service.url,
    TWILIO_ACCOUNT_SID: TWILIO.accountSid,
    TWILIO_AUTH_TOKEN: TWILIO.authToken,
    ...sender,
  });
  const [finding] = await checkCarriers(config);
  return finding;
}

test.each([
  ['VERIFIED', 'ok', 'Twilio accepts the account.'],
  ['IN_PROGRESS', 'warning', 'in review'],
  ['FAILED', 'problem', 'was rejected'],
  ['SUSPENDED', 'problem', 'is suspended'],
])('the doctor reads the A2P 10DLC campaign of a local number: %s', async (status, finding, message) => {
  service.registration[CAMPAIGNS] = { compliance: [{ campaign_status: status }] };
  for (const sender of [{ TWILIO_FROM: LOCAL }, { TWILIO_MESSAGING_SERVICE_SID: SERVICE }]) {
    expect(await examine(sender)).toMatchObject({ status: finding, message: expect.stringContaining(message) });
  }
});

test.each([
  [['FAILED', 'IN_REVIEW'], 'The brand is in review. '],
  [['FAILED', 'DELETED'], 'The brand was rejected. '],
  [['DELETED'], 'There is no brand. '],
  [[], 'There is no brand. '],
])('the doctor describes the best of the brands %j', async (statuses, message) => {
  service.registration[CAMPAIGNS] = { compliance: [] };
  service.registration['/v1/a2p/BrandRegistrations'] = { data: statuses.map((status) => ({ sid: 'BN1', status })) };
  expect(await examine({ TWILIO_FROM: LOCAL })).toMatchObject({ message: expect.stringContaining(message) });
});

test('the doctor says how to register a number without a campaign, or without a messaging service', async () => {
  service.registration[CAMPAIGNS] = { compliance: [] };
  expect(await examine({ TWILIO_FROM: LOCAL })).toMatchObject({
    status: 'problem',
    message: expect.stringContaining('The brand is approved. The messaging service has no A2P 10DLC campaign.'),
    next: expect.stringContaining('docs/self-hosting/registration.md'),
  });
  expect(await examine({ TWILIO_FROM: '+13125550199' })).toMatchObject({
    message: expect.stringContaining('belongs to no messaging service'),
  });
});

test.each([
  [[{ status: 'TWILIO_APPROVED' }], 'ok'],
  [[{ status: 'PENDING_REVIEW' }], 'warning'],
  [[{ status: 'TWILIO_REJECTED' }], 'problem'],
  [[], 'problem'],
])('the doctor reads the verification of a toll-free number: %j', async (verifications, status) => {
  service.registration['/v1/Tollfree/Verifications'] = { verifications };
  expect(await examine({ TWILIO_FROM: TOLL_FREE })).toMatchObject({ status });
});

test('a number that needs no registration is fine, and a registration that cannot be read is a warning', async () => {
  expect(await examine({ TWILIO_FROM: '+441632960001' })).toMatchObject({ status: 'ok', next: null });
  service.registration = {};
  expect(await examine({ TWILIO_FROM: LOCAL })).toMatchObject({ status: 'warning' });
});
