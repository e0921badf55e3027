import { expect, test } from 'vitest';
import { readConfig } from '../../src/app/config/index.ts';
import { checkCarriers } from '../../src/cli/doctor/carriers.ts';
import { checkSignIn } from '../../src/cli/doctor/server.ts';
import { sealAccount } from '../../src/delivery/index.ts';
import { createSeal } from '../../src/platform/seal.ts';
import { fingerprintOf, openServerKey } from '../../src/platform/server-key.ts';
import { SEAL_PURPOSE } from '../../src/webhooks/index.ts';
import { openCompany } from '../console/company.ts';
import { forFile } from '../harness/index.ts';
import { startTwilioService, TWILIO } from './carrier-services.ts';
import { openDelivery } from './delivery-fixture.ts';

const KEY = '07'.repeat(32);

const service = await forFile(startTwilioService());
const fixture = await forFile(openDelivery('2026-06-10T17:00:00Z'));
await fixture.database.query('update server_key set fingerprint = $1', [
  Buffer.from(fingerprintOf(Buffer.from(KEY, 'hex')), 'hex'),
]);

const check = (key = KEY, apiUrl = service.url) =>
  checkCarriers(
    readConfig({ DATABASE_URL: fixture.database.url, SERVER_KEY: key, TWILIO_API_URL: apiUrl, DATA_DIR: '/nowhere' }),
  );

async function organize(name: string, authToken: string): Promise<string> {
  const { tenant } = await fixture.createOrganization({ name });
  const { organizationId } = tenant;
  const key = openServerKey({ dataDir: '/nowhere', given: Buffer.from(KEY, 'hex') });
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
  expect(service.accepted).toEqual([]);
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
