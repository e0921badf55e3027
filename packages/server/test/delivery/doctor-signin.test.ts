import { expect, test } from 'vitest';
import { checkSignIn } from '../../src/cli/doctor/signin.ts';
import { readConfig } from '../../src/config.ts';
import { openCompany } from '../console/company.ts';

test('doctor reports how members can sign in, and whether the company provider responds', async () => {
  const check = (more: Record<string, string>) => checkSignIn(readConfig({ DATA_DIR: '/nowhere', ...more }));
  const provider = await openCompany('http://127.0.0.1:1/callback', { inIdToken: true });
  const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'intros@acme.example' };
  const none = await check({});
  expect([none.status, none.message.includes('foreword signin')]).toEqual(['ok', true]);
  expect(await check(mail)).toMatchObject({ status: 'ok', message: 'By email.' });
  expect((await check({ ...mail, ...provider.environment })).status).toBe('ok');
  await provider.close();
  const broken = await check(provider.environment);
  expect(broken.status).toBe('problem');
  expect(broken.message).toContain(provider.issuer);
});
