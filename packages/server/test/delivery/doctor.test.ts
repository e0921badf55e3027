import { beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../src/app/config/index.ts';
import { checkCarriers } from '../../src/cli/doctor/carriers.ts';
import { checkEmailDomain } from '../../src/cli/doctor/email.ts';
import { checkSignIn } from '../../src/cli/doctor/server.ts';
import { sealAccount } from '../../src/delivery/index.ts';
import { dkimRecordValue, generateDkimKey } from '../../src/platform/dkim.ts';
import { createSeal } from '../../src/platform/seal.ts';
import { fingerprintOf, toServerKey } from '../../src/platform/server-key.ts';
import { SEAL_PURPOSE } from '../../src/webhooks/index.ts';
import { openCompany } from '../console/company.ts';
import { forFile } from '../harness/index.ts';
import { startTwilioService, TWILIO } from './carrier-services.ts';
import { openDelivery } from './delivery-fixture.ts';
import { startDns, type Zone } from './dns-server.ts';
import { startTelnyxService, TELNYX_ENVIRONMENT } from './telnyx-service.ts';

const KEY = '07'.repeat(32);

const accounts = await forFile(startTwilioService());
const fixture = await forFile(openDelivery('2026-06-10T17:00:00Z'));
await fixture.database.query('update server_key set fingerprint = $1', [
  Buffer.from(fingerprintOf(Buffer.from(KEY, 'hex')), 'hex'),
]);

const check = (key = KEY, apiUrl = accounts.url) =>
  checkCarriers(
    readConfig({ DATABASE_URL: fixture.database.url, SERVER_KEY: key, TWILIO_API_URL: apiUrl, DATA_DIR: '/nowhere' }),
  );

async function organize(name: string, authToken: string): Promise<string> {
  const { tenant } = await fixture.createOrganization({ name });
  const { organizationId } = tenant;
  const key = toServerKey(Buffer.from(KEY, 'hex'));
  const sealed = sealAccount(createSeal(key.derive(SEAL_PURPOSE)), organizationId, { ...TWILIO, authToken });
  await fixture.database.query(
    `insert into delivery_settings (organization_id, environment, twilio_account, updated_at) values ($1, 'test', $2, now())`,
    [organizationId, sealed],
  );
  return organizationId;
}

test("doctor also checks organizations' own accounts, and names the rejected one", async () => {
  const texts = async () => (await check())[0];
  expect(await check()).toHaveLength(2);
  expect(await texts()).toMatchObject({
    name: 'text messages',
    status: 'note',
    next: expect.stringContaining('SMS_CARRIER'),
  });
  await organize('Right', TWILIO.authToken);
  const wrong = await organize('Wrong', 'an old token');
  // Each real organization has an account of its own.
  expect(await texts()).toMatchObject({ status: 'note' });
  await fixture.createOrganization({ name: 'Without' });
  expect(await texts()).toMatchObject({ status: 'problem' });
  const own = (await check()).slice(2);
  expect(own.map(({ name, status }) => [name, status])).toEqual([
    ['text messages of Right', 'ok'],
    ['text messages of Wrong', 'problem'],
  ]);
  expect(own[1]?.message).toContain(wrong);
  expect(JSON.stringify(own)).not.toContain('an old token');
  const unreachable = (await check(KEY, 'http://127.0.0.1:1')).slice(2);
  expect(unreachable.map(({ status }) => status)).toEqual(['warning', 'warning']);
  const sealed = (await check('08'.repeat(32))).slice(2);
  expect(sealed.map(({ status }) => status)).toEqual(['problem', 'problem']);
  expect(sealed[0]?.message).toContain('does not open');
  expect(accounts.accepted).toEqual([]);
});

test('doctor reports how members can sign in, and whether the company provider responds', async () => {
  const signIn = (more: Record<string, string>) => checkSignIn(readConfig({ DATA_DIR: '/nowhere', ...more }));
  const provider = await openCompany('http://127.0.0.1:1/callback', { inIdToken: true });
  const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'intros@acme.example' };
  expect(await signIn({})).toMatchObject({ status: 'note', next: expect.stringContaining('foreword signin') });
  expect(await signIn(mail)).toMatchObject({ status: 'ok', message: 'By email.' });
  expect(await signIn({ ...mail, ...provider.environment })).toMatchObject({ status: 'ok' });
  await provider.close();
  const broken = { status: 'problem', message: expect.stringContaining(provider.issuer) };
  expect(await signIn(provider.environment)).toMatchObject(broken);
});

const DKIM_KEY = generateDkimKey();
const RECORD = dkimRecordValue(DKIM_KEY);
const OTHER = dkimRecordValue(generateDkimKey());

const include = (name: string, count: number): string =>
  `v=spf1 ${Array.from({ length: count }, (_, at) => `include:${name}${at}`).join(' ')} ~all`;

const zone: Zone = {
  'good.org': ['google-site-verification=1', 'v=spf1 include:spf.relay.net ip4:192.0.2.1 -all'],
  'spf.relay.net': ['v=spf1 a mx include:nested.relay.net ~all'],
  'nested.relay.net': ['v=spf1 ip4:192.0.2.0/24 ~all'],
  'k1._domainkey.good.org': [RECORD],
  '_dmarc.good.org': ['v=DMARC1; p=quarantine; adkim=s'],
  'two.org': ['v=spf1 mx -all', 'v=spf1 a -all'],
  'k1._domainkey.two.org': [OTHER],
  '_dmarc.two.org': ['v=DMARC1; pct=10'],
  'closed.org': ['v=spf1 -all'],
  'k1._domainkey.closed.org': ['v=DKIM1; p='],
  'open.org': ['v=spf1 +all'],
  'many.org': [include('many', 6)],
  ...Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`many${at}`, ['v=spf1 a mx ~all']])),
  'loop.org': ['v=spf1 include:loop.org ~all'],
  'silent.org': null,
  'k1._domainkey.silent.org': null,
  '_dmarc.silent.org': null,
};

const dns = await forFile(startDns(zone));

const checkDomain = (domain: string, more: Record<string, string> = {}) => {
  const signing = { DKIM_SELECTOR: 'k1', DKIM_PRIVATE_KEY: DKIM_KEY.replaceAll('\n', '\\n') };
  const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: `intros@${domain}` };
  return checkEmailDomain(readConfig({ ...mail, ...signing, ...more }), dns.resolver);
};
const statuses = async (domain: string, more?: Record<string, string>) =>
  (await checkDomain(domain, more)).map(({ name, status }) => `${name} ${status}`);

test('a domain with SPF, the public key and a policy has no findings to fix', async () => {
  const findings = await checkDomain('good.org');
  expect(findings.map(({ name, status, next }) => [name, status, next])).toEqual([
    ['SPF', 'ok', null],
    ['DKIM', 'ok', null],
    ['DMARC', 'ok', null],
  ]);
  expect(findings[0]?.message).toContain('4 of 10 lookups');
});

test('missing records are named with the value to add', async () => {
  const [spf, dkim, dmarc] = await checkDomain('none.org');
  expect([spf?.status, dkim?.status, dmarc?.status]).toEqual(['warning', 'problem', 'warning']);
  expect(dkim?.next).toBe(`Add the TXT record k1._domainkey.none.org with the value: ${RECORD}`);
  expect(dmarc?.next).toContain('_dmarc.none.org');
});

test.each([
  ['two.org', 'SPF problem', 'DKIM problem', 'DMARC problem'],
  ['closed.org', 'SPF problem', 'DKIM problem', 'DMARC warning'],
  ['open.org', 'SPF warning', 'DKIM problem', 'DMARC warning'],
  ['many.org', 'SPF problem', 'DKIM problem', 'DMARC warning'],
  ['loop.org', 'SPF ok', 'DKIM problem', 'DMARC warning'],
  ['silent.org', 'SPF warning', 'DKIM warning', 'DMARC warning'],
])('%s: %s, %s, %s', async (domain, ...expected) => {
  expect(await statuses(domain)).toEqual(expected);
});

test('a subdomain follows the policy of its parent; a signature for the parent counts unless the policy is strict', async () => {
  const shared = { DKIM_SELECTOR: 'k1._domainkey.good.org' };
  expect(await statuses('mail.good.org', shared)).toEqual(['SPF warning', 'DKIM ok', 'DMARC problem']);
  zone['_dmarc.good.org'] = ['v=DMARC1; p=none'];
  expect(await statuses('mail.good.org', shared)).toEqual(['SPF warning', 'DKIM ok', 'DMARC ok']);
});

test('without a key or a public domain, nothing is a problem', async () => {
  const unsigned = { DKIM_SELECTOR: '', DKIM_PRIVATE_KEY: '' };
  expect(await statuses('good.org', unsigned)).toEqual(['SPF ok', 'DKIM ok', 'DMARC ok']);
  expect(await statuses('acme.example')).toEqual(['sender domain ok']);
  expect(await checkEmailDomain(readConfig({}), dns.resolver)).toEqual([]);
});

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
  ['FAILED', 'problem', 'is not approved (FAILED)'],
  ['SUSPENDED', 'problem', 'is not approved (SUSPENDED)'],
])('the doctor reads the A2P 10DLC campaign of a local number: %s', async (status, finding, message) => {
  service.registration[CAMPAIGNS] = { compliance: [{ campaign_status: status }] };
  for (const sender of [{ TWILIO_FROM: LOCAL }, { TWILIO_MESSAGING_SERVICE_SID: SERVICE }]) {
    expect(await examine(sender)).toMatchObject({ status: finding, message: expect.stringContaining(message) });
  }
});

test('the doctor says how to register a number without a campaign, or without a messaging service', async () => {
  service.registration[CAMPAIGNS] = { compliance: [] };
  for (const number of [LOCAL, '+13125550199']) {
    expect(await examine({ TWILIO_FROM: number })).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('The A2P 10DLC campaign of the sender does not exist.'),
      next: expect.stringContaining('docs/self-hosting/registration.md'),
    });
  }
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
const VERIFICATIONS = '/v2/messaging_tollfree/verification/requests';

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

const assignment = (changes: object) => ({ [ASSIGNMENT]: { ...ASSIGNED, ...changes } });
const campaign = (campaignStatus: string) => ({ [ASSIGNMENT]: ASSIGNED, [CAMPAIGN]: { campaignStatus } });
const verification = (verificationStatus: string) => ({
  [VERIFICATIONS]: { records: [{ id: PROFILE, verificationStatus }], total_records: 1 },
});

test('the doctor says how to register a Telnyx number without a campaign', async () => {
  expect(await examineTelnyx({ TELNYX_FROM: LOCAL }, {})).toMatchObject({
    status: 'problem',
    message: expect.stringContaining('The A2P 10DLC campaign of the sender does not exist.'),
    next: expect.stringContaining('docs/self-hosting/registration.md'),
  });
});

test.each([
  [LOCAL, campaign('MNO_PROVISIONED'), 'ok', 'Telnyx accepts the key and the sender.'],
  [LOCAL, campaign('TCR_PENDING'), 'warning', 'in review'],
  [LOCAL, campaign('TELNYX_FAILED'), 'problem', '(TELNYX_FAILED)'],
  [LOCAL, campaign('TCR_SUSPENDED'), 'problem', '(TCR_SUSPENDED)'],
  [LOCAL, campaign('TCR_EXPIRED'), 'problem', '(TCR_EXPIRED)'],
  [LOCAL, campaign('A_NEW_STATUS'), 'warning', 'does not say'],
  [LOCAL, assignment({ assignmentStatus: 'PENDING_ASSIGNMENT' }), 'warning', 'is in review (PENDING_ASSIGNMENT)'],
  [LOCAL, assignment({ assignmentStatus: 'FAILED_ASSIGNMENT' }), 'problem', 'is not approved (FAILED_ASSIGNMENT)'],
  // A campaign that another company shares has no brand of this account.
  [LOCAL, assignment({ brandId: '' }), 'ok', 'Telnyx accepts the key and the sender.'],
  [TOLL_FREE, verification('Verified'), 'ok', 'Telnyx accepts'],
  [TOLL_FREE, verification('In Progress'), 'warning', 'in review'],
  [TOLL_FREE, verification('Waiting For Customer'), 'problem', '(Waiting For Customer)'],
  [TOLL_FREE, verification('Rejected'), 'problem', 'is not approved'],
  [TOLL_FREE, { [VERIFICATIONS]: { records: [], total_records: 0 } }, 'problem', 'does not exist'],
])('the doctor reads the registration of the Telnyx number %s: %j', async (from, registration, status, message) => {
  expect(await examineTelnyx({ TELNYX_FROM: from }, registration)).toMatchObject({
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
    { name: 'text messages (fallback)', status: 'problem', message: expect.stringContaining('TCR_SUSPENDED') },
  ]);
});

test('a number that needs no registration is fine, and a registration that cannot be read is a warning', async () => {
  expect(await examine({ TWILIO_FROM: '+441632960001' })).toMatchObject({ status: 'ok', next: null });
  service.registration = {};
  expect(await examine({ TWILIO_FROM: LOCAL })).toMatchObject({ status: 'warning' });
});
