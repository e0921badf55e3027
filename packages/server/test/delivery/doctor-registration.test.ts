import { beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../src/app/config/index.ts';
import { checkCarriers } from '../../src/cli/doctor/carriers.ts';
import { forFile } from '../harness/index.ts';
import { startTwilioService, TWILIO } from './carrier-services.ts';
import { startTelnyxService, TELNYX_ENVIRONMENT } from './telnyx-service.ts';

const SERVICE = `MG${'1'.repeat(32)}`;
const LOCAL = '+13125550100';
const TOLL_FREE = '+18885550100';
const NUMBERS = `/2010-04-01/Accounts/${TWILIO.accountSid}/IncomingPhoneNumbers.json`;
const CAMPAIGNS = `/v1/Services/${SERVICE}/Compliance/Usa2p`;

const [service, telnyx] = [await forFile(startTwilioService()), await forFile(startTelnyxService())];
beforeEach(() => {
  service.registration = {
    '/v1/Services': { services: [{ sid: SERVICE }] },
    [`/v1/Services/${SERVICE}/PhoneNumbers`]: { phone_numbers: [{ sid: 'PN1', phone_number: LOCAL }] },
    '/v1/a2p/BrandRegistrations': { data: [{ sid: 'BN1', status: 'APPROVED' }] },
    [NUMBERS]: { incoming_phone_numbers: [{ sid: 'PN2', phone_number: TOLL_FREE }] },
  };
});
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

const PROFILE = '16fd2706-8baf-433b-82eb-8c7fada847da';
const ASSIGNED = {
  phoneNumber: LOCAL,
  campaignId: 'CCAMPA1',
  brandId: '7ba705b7-22af-493f-addc-ac04b7ca071c',
  assignmentStatus: 'ASSIGNED',
  createdAt: '2026-03-08T17:57:48.801186',
  updatedAt: '2026-03-08T17:57:48.801186',
};
const [ASSIGNMENT, CAMPAIGN] = [`/v2/10dlc/phone_number_campaigns/${LOCAL}`, '/v2/10dlc/campaign/CCAMPA1'];
const [BRANDS, VERIFICATIONS] = ['/v2/10dlc/brand', '/v2/messaging_tollfree/verification/requests'];

/** The account has both numbers, in a messaging profile. */
async function examineTelnyx(sender: Record<string, string>, registration: Record<string, object>) {
  const numbers = [LOCAL, TOLL_FREE].map((number) => ({ record_type: 'messaging_phone_number', phone_number: number }));
  telnyx.registration = {
    ...Object.fromEntries(numbers.map((data) => [`/v2/messaging_phone_numbers/${data.phone_number}`, { data }])),
    [`/v2/messaging_profiles/${PROFILE}`]: { data: { record_type: 'messaging_profile', id: PROFILE } },
    [`/v2/messaging_profiles/${PROFILE}/phone_numbers`]: { data: numbers, meta: { total_results: 2 } },
    ...registration,
  };
  const environment = { ...TELNYX_ENVIRONMENT, TELNYX_API_URL: telnyx.url, ...sender };
  const [finding] = await checkCarriers(
    readConfig({ DATA_DIR: '/nowhere', SMS_CARRIER: 'telnyx', PUBLIC_URL: 'https://go.acme.example', ...environment }),
  );
  return finding;
}

const campaign = (campaignStatus: string) => ({ [ASSIGNMENT]: ASSIGNED, [CAMPAIGN]: { campaignStatus } });
const verification = (verificationStatus: string) => ({
  [VERIFICATIONS]: { records: [{ id: PROFILE, verificationStatus }], total_records: 1 },
});

test.each([
  ['MNO_PROVISIONED', 'ok', 'Telnyx accepts the key and the sender.'],
  ['TCR_PENDING', 'warning', 'in review'],
  ['TELNYX_FAILED', 'problem', 'was rejected'],
  ['TCR_SUSPENDED', 'problem', 'is suspended'],
  ['TCR_EXPIRED', 'problem', 'has expired'],
  ['A_NEW_STATUS', 'warning', 'does not say'],
])('the doctor reads the campaign of a Telnyx number: %s', async (status, finding, message) => {
  expect(await examineTelnyx({ TELNYX_FROM: LOCAL }, campaign(status))).toMatchObject({
    status: finding,
    message: expect.stringContaining(message),
  });
});

test.each([
  [{ ...ASSIGNED, assignmentStatus: 'PENDING_ASSIGNMENT' }, 'warning', 'is being added'],
  [{ ...ASSIGNED, assignmentStatus: 'FAILED_ASSIGNMENT' }, 'problem', 'could not be added'],
  // A campaign that another company shares has no brand of this account.
  [{ ...ASSIGNED, brandId: '' }, 'ok', 'Telnyx accepts the key and the sender.'],
])('the doctor reads the assignment of a Telnyx number: %j', async (assignment, status, message) => {
  expect(await examineTelnyx({ TELNYX_FROM: LOCAL }, { [ASSIGNMENT]: assignment })).toMatchObject({
    status,
    message: expect.stringContaining(message),
  });
});

test.each([
  [[], 'There is no brand. The number is assigned to no A2P 10DLC campaign.'],
  [[{ status: 'REGISTRATION_PENDING' }], 'The brand is in review. '],
  [[{ status: 'REGISTRATION_FAILED' }, { status: 'OK', identityStatus: 'VERIFIED' }], 'The brand is approved. '],
  [[{ status: 'OK', identityStatus: 'UNVERIFIED' }], 'The brand was rejected. '],
])(
  'the doctor says how to register a Telnyx number without a campaign, with the brands %j',
  async (records, message) => {
    expect(await examineTelnyx({ TELNYX_FROM: LOCAL }, { [BRANDS]: { records } })).toMatchObject({
      status: 'problem',
      message: expect.stringContaining(message),
      next: expect.stringContaining('docs/self-hosting/registration.md'),
    });
  },
);

test.each([
  [verification('Verified'), 'ok', 'Telnyx accepts'],
  [verification('In Progress'), 'warning', 'in review'],
  [verification('Waiting For Customer'), 'problem', 'waits for your answer'],
  [verification('Rejected'), 'problem', 'was rejected'],
  [{ [VERIFICATIONS]: { records: [], total_records: 0 } }, 'problem', 'is not verified'],
])('the doctor reads the verification of a toll-free number of Telnyx: %j', async (found, status, message) => {
  expect(await examineTelnyx({ TELNYX_FROM: TOLL_FREE }, found)).toMatchObject({
    status,
    message: expect.stringContaining(message),
  });
});

test('of the numbers in a messaging profile, the doctor reports the one that most needs attention', async () => {
  const sender = { TELNYX_MESSAGING_PROFILE_ID: PROFILE };
  const rejected = { ...campaign('MNO_PROVISIONED'), ...verification('Rejected') };
  expect(await examineTelnyx(sender, rejected)).toMatchObject({ status: 'problem' });
  const registered = { ...campaign('MNO_PROVISIONED'), ...verification('Verified') };
  expect(await examineTelnyx(sender, registered)).toMatchObject({ status: 'ok' });
});

test('the doctor reads the registration of the second carrier too', async () => {
  service.registration[CAMPAIGNS] = { compliance: [{ campaign_status: 'VERIFIED' }] };
  telnyx.registration = { [`/v2/messaging_phone_numbers/${LOCAL}`]: { data: {} }, ...campaign('TCR_SUSPENDED') };
  const findings = await checkCarriers(
    readConfig({
      DATA_DIR: '/nowhere',
      PUBLIC_URL: 'https://go.acme.example',
      SMS_CARRIER: 'twilio',
      SMS_CARRIER_FALLBACK: 'telnyx',
      ...{ TWILIO_API_URL: service.url, TWILIO_ACCOUNT_SID: TWILIO.accountSid, TWILIO_AUTH_TOKEN: TWILIO.authToken },
      ...{ TWILIO_FROM: LOCAL, TELNYX_FROM: LOCAL, TELNYX_API_URL: telnyx.url, ...TELNYX_ENVIRONMENT },
    }),
  );
  expect(findings.slice(0, 2)).toMatchObject([
    { name: 'text messages', status: 'ok' },
    { name: 'text messages (fallback)', status: 'problem', message: expect.stringContaining('is suspended') },
  ]);
});

test('a number that needs no registration is fine, and a registration that cannot be read is a warning', async () => {
  expect(await examine({ TWILIO_FROM: '+441632960001' })).toMatchObject({ status: 'ok', next: null });
  service.registration = {};
  expect(await examine({ TWILIO_FROM: LOCAL })).toMatchObject({ status: 'warning' });
});
