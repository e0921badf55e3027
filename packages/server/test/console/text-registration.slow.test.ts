import { expect, test } from 'vitest';
import { startTwilioService, TWILIO } from '../delivery/carrier-services.ts';
import { forFile } from '../harness/index.ts';
import { openTeam } from './team-fixture.ts';

const SHARED_NUMBER = '+13125550100';
const OWN_NUMBER = '+18885550100';
const OWN_NUMBERS = `/2010-04-01/Accounts/${TWILIO.accountSid}/IncomingPhoneNumbers.json`;

const twilio = await forFile(startTwilioService());
const team = await forFile(
  openTeam({
    PUBLIC_URL: 'https://go.acme.example',
    SMS_CARRIER: 'twilio',
    TWILIO_API_URL: twilio.url,
    TWILIO_ACCOUNT_SID: TWILIO.accountSid,
    TWILIO_AUTH_TOKEN: TWILIO.authToken,
    TWILIO_FROM: SHARED_NUMBER,
  }),
);

test('the registration is read from the carrier, for a minute once, and again after it could not be read', async () => {
  const read = async () => (await team.manager.call('GET /text-limits/registration')).body;
  expect(await read()).toMatchObject({ registration: { status: 'unknown' }, is_own: false });
  twilio.registration = { '/v1/Services': { services: [] } };
  const missing = {
    status: 'missing',
    message: 'The A2P 10DLC campaign of the sender does not exist.',
    next: expect.stringMatching(/^Register a brand and a campaign/),
  };
  expect(await read()).toEqual({ registration: missing, is_own: false });
  twilio.registration = {};
  expect(await read()).toEqual({ registration: missing, is_own: false });
});

test('an organization with its own account sees the registration of its own number', async () => {
  await team.run(
    ...['delivery', 'set', '--org', team.organization.id, '--twilio-account-sid', TWILIO.accountSid],
    ...['--twilio-auth-token', TWILIO.authToken, '--twilio-from', OWN_NUMBER],
  );
  twilio.registration = {
    [OWN_NUMBERS]: { incoming_phone_numbers: [{ sid: 'PN1', phone_number: OWN_NUMBER }] },
    '/v1/Tollfree/Verifications': { verifications: [{ status: 'TWILIO_APPROVED' }] },
  };
  expect((await team.manager.call('GET /text-limits/registration')).body).toEqual({
    registration: { status: 'registered', message: expect.stringContaining('toll-free'), next: null },
    is_own: true,
  });
});

test('an organization with its own account can send through a messaging service, whose campaign it sees', async () => {
  const { id } = team.organization;
  const account = ['--twilio-account-sid', TWILIO.accountSid, '--twilio-auth-token', TWILIO.authToken];
  const service = `MG${'5'.repeat(32)}`;
  const set = (...sender: string[]) => team.run('delivery', 'set', '--org', id, ...account, ...sender);
  const both = ['--twilio-from', OWN_NUMBER, '--twilio-messaging-service-sid', service];
  for (const sender of [[], both]) await expect(set(...sender)).rejects.toThrow('either --twilio-from or');
  await expect(set('--twilio-messaging-service-sid', 'MG5')).rejects.toThrow('must be the SID of a messaging service');
  await set('--twilio-messaging-service-sid', service);
  twilio.registration = {
    [`/v1/Services/${service}/Compliance/Usa2p`]: { compliance: [{ campaign_status: 'VERIFIED' }] },
  };
  expect((await team.manager.call('GET /text-limits/registration')).body).toEqual({
    registration: { status: 'registered', message: expect.stringContaining('campaign'), next: null },
    is_own: true,
  });
});
