import { expect, test } from 'vitest';
import { readConfig } from '../../src/app/config/index.ts';
import { checkEmailDomain } from '../../src/cli/doctor/email.ts';
import { dkimRecordValue, generateDkimKey } from '../../src/platform/dkim.ts';
import { forFile } from '../harness/index.ts';
import { startDns, type Zone } from './dns-server.ts';

const KEY = generateDkimKey();
const RECORD = dkimRecordValue(KEY);
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

const check = (domain: string, more: Record<string, string> = {}) => {
  const signing = { DKIM_SELECTOR: 'k1', DKIM_PRIVATE_KEY: KEY.replaceAll('\n', '\\n') };
  const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: `intros@${domain}` };
  return checkEmailDomain(readConfig({ ...mail, ...signing, ...more }), dns.resolver);
};
const statuses = async (domain: string, more?: Record<string, string>) =>
  (await check(domain, more)).map(({ name, status }) => `${name} ${status}`);

test('a domain with SPF, the public key and a policy has no findings to fix', async () => {
  const findings = await check('good.org');
  expect(findings.map(({ name, status, next }) => [name, status, next])).toEqual([
    ['SPF', 'ok', null],
    ['DKIM', 'ok', null],
    ['DMARC', 'ok', null],
  ]);
  expect(findings[0]?.message).toContain('4 of 10 lookups');
});

test('missing records are named with the value to add', async () => {
  const [spf, dkim, dmarc] = await check('none.org');
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
