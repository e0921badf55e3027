import { Resolver } from 'node:dns/promises';
import type { Config } from '../../app/config/index.ts';
import { type DkimKey, dkimRecordName, dkimRecordValue, publicKeyOf } from '../../platform/dkim.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** A DNS server that does not answer delays the doctor by twice this at most, for each record. */
const DNS_LIMIT_MS = 3_000;
/** RFC 7208: receivers give up after ten lookups. */
const MAX_SPF_LOOKUPS = 10;
/** RFC 2606 and 6761: no one can send from these domains. */
const RESERVED = /(^|\.)(example|test|invalid|localhost|local|internal|example\.(com|net|org))$/;

type TxtResolver = Pick<Resolver, 'resolveTxt'>;

const openResolver = (): TxtResolver => new Resolver({ timeout: DNS_LIMIT_MS, tries: 2 });

class DnsError extends Error {}

/** The records of a name, each in one piece. Empty if there are none. */
async function readTxt(resolver: TxtResolver, name: string): Promise<string[]> {
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
    throw new DnsError(`${name}: ${code}`);
  }
}

const isSpf = (record: string): boolean => /^v=spf1(\s|$)/i.test(record);

/** The terms that cost receivers a lookup, with those of included records. */
async function countLookups(resolver: TxtResolver, record: string, path: readonly string[]): Promise<number> {
  let count = 0;
  for (const term of record.split(/\s+/).slice(1)) {
    const [, name = '', , target = ''] = /^[+?~-]?(include|redirect|a|mx|ptr|exists)([:=/](.*))?$/i.exec(term) ?? [];
    if (name === '') continue;
    count += 1;
    const isNested = /^(include|redirect)$/i.test(name) && !path.includes(target.toLowerCase());
    // A record with macros differs from email to email.
    if (!isNested || target.includes('%') || path.length > MAX_SPF_LOOKUPS) continue;
    const nested = (await readTxt(resolver, target)).find(isSpf);
    if (nested !== undefined) count += await countLookups(resolver, nested, [...path, target.toLowerCase()]);
    if (count > MAX_SPF_LOOKUPS) break;
  }
  return count;
}

const SPF = 'SPF';

async function checkSpf(resolver: TxtResolver, domain: string): Promise<Finding> {
  const [record, another] = (await readTxt(resolver, domain)).filter(isSpf);
  if (record === undefined) {
    const next = 'Add a TXT record that lists your mail provider, such as "v=spf1 include:PROVIDER ~all".';
    return warning(SPF, `${domain} has no SPF record, so receivers may treat emails as spam.`, next);
  }
  if (another !== undefined)
    return problem(SPF, `${domain} has more than one SPF record, so receivers ignore all.`, 'Merge them into one.');
  if (/^v=spf1\s+-all\s*$/i.test(record))
    return problem(SPF, `${domain} allows no server to send ("${record}").`, 'Add your mail provider to the record.');
  if (/\s\+?all(\s|$)/i.test(record))
    return warning(SPF, `${domain} allows every server to send ("${record}").`, 'End the record with ~all or -all.');
  const lookups = await countLookups(resolver, record, [domain]);
  if (lookups > MAX_SPF_LOOKUPS) {
    const message = `The SPF record of ${domain} needs more than ${MAX_SPF_LOOKUPS} DNS lookups, so receivers ignore it.`;
    return problem(SPF, message, 'Remove includes of providers that you no longer use.');
  }
  return ok(SPF, `${domain} has an SPF record (${lookups} of ${MAX_SPF_LOOKUPS} lookups): ${record}`);
}

const DKIM = 'DKIM';

const tagsOf = (record: string): Map<string, string> =>
  new Map(
    record.split(';').map((tag) => {
      const at = tag.indexOf('=');
      return [tag.slice(0, at).trim().toLowerCase(), tag.slice(at + 1).replaceAll(/\s/g, '')];
    }),
  );

async function checkDkim(resolver: TxtResolver, key: DkimKey | undefined): Promise<Finding> {
  if (key === undefined) {
    const next = 'Check that your mail provider signs for your domain, or run foreword email dkim.';
    return ok(DKIM, `Foreword does not sign emails. ${next}`);
  }
  const name = dkimRecordName(key);
  const records = await readTxt(resolver, name);
  const add = `Add the TXT record ${name} with the value: ${dkimRecordValue(key.privateKey)}`;
  if (records.length === 0) return problem(DKIM, `${name} has no TXT record, so signatures are invalid.`, add);
  const published = records.map((record) => tagsOf(record).get('p'));
  if (published.includes(publicKeyOf(key.privateKey)))
    return ok(DKIM, `Emails are signed, and ${name} has the public key.`);
  if (published.every((value) => value === ''))
    return problem(DKIM, `The key at ${name} is revoked (p= is empty), so signatures are invalid.`, add);
  const message = `The key at ${name} differs from the private key, so signatures are invalid.`;
  return problem(DKIM, message, `Replace the record. ${add}`);
}

const DMARC = 'DMARC';

/** The record of the domain, or of the closest parent domain that has one. */
async function findDmarc(resolver: TxtResolver, domain: string): Promise<{ at: string; record: string } | null> {
  const labels = domain.split('.');
  for (let from = 0; from <= labels.length - 2; from += 1) {
    const at = `_dmarc.${labels.slice(from).join('.')}`;
    const record = (await readTxt(resolver, at)).find((each) => /^v=dmarc1\s*(;|$)/i.test(each));
    if (record !== undefined) return { at, record };
  }
  return null;
}

/** Receivers compare domains with their parents, unless the record asks for the same domain. */
const isAligned = (one: string, other: string, isStrict: boolean): boolean =>
  one === other || (!isStrict && (one.endsWith(`.${other}`) || other.endsWith(`.${one}`)));

async function checkDmarc(resolver: TxtResolver, domain: string, key: DkimKey | undefined): Promise<Finding> {
  const found = await findDmarc(resolver, domain);
  if (found === null) {
    const next = `Add the TXT record _dmarc.${domain}: "v=DMARC1; p=none; rua=mailto:ADDRESS". Large providers require one.`;
    return warning(DMARC, `${domain} has no DMARC record.`, next);
  }
  const tags = tagsOf(found.record);
  const policy = tags.get('p') ?? '';
  if (!['none', 'quarantine', 'reject'].includes(policy))
    return problem(
      DMARC,
      `${found.at} has no valid policy ("${found.record}").`,
      'Set p= to none, quarantine or reject.',
    );
  if (key !== undefined && !isAligned(domain, key.domain, tags.get('adkim') === 's')) {
    const message = `Signatures for ${key.domain} do not count for ${domain}, the domain of MAIL_FROM.`;
    return problem(DMARC, message, 'Sign for the domain of MAIL_FROM (DKIM_SELECTOR).');
  }
  return ok(DMARC, `${found.at} has the policy "${policy}".`);
}

async function orWarning(name: string, check: Promise<Finding>): Promise<Finding> {
  try {
    return await check;
  } catch (error) {
    if (!(error instanceof DnsError)) throw error;
    return warning(name, `DNS does not answer (${error.message}).`, 'Check the network, then run this again.');
  }
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** Checks what receivers look up about the sender's domain. */
export async function checkEmailDomain(
  { carriers: { mail } }: Pick<Config, 'carriers'>,
  resolver: TxtResolver = openResolver(),
): Promise<Finding[]> {
  if (mail === undefined) return [];
  const { from, bouncesTo = from, dkim } = mail;
  const domain = domainOf(from);
  if (RESERVED.test(domain))
    return [ok('sender domain', `${domain} is not a public domain, so SPF, DKIM and DMARC are not checked.`)];
  return Promise.all([
    orWarning(SPF, checkSpf(resolver, domainOf(bouncesTo))),
    orWarning(DKIM, checkDkim(resolver, dkim)),
    orWarning(DMARC, checkDmarc(resolver, domain, dkim)),
  ]);
}
