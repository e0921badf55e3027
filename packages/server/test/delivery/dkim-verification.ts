import { createHash, createPublicKey, verify } from 'node:crypto';
import type { Resolver } from 'node:dns/promises';

/** Verification of a DKIM signature as RFC 6376 describes it, for `c=relaxed/relaxed`. */

const tagsOf = (value: string): Record<string, string> =>
  Object.fromEntries(
    value
      .split(';')
      .filter((tag) => tag.trim() !== '')
      .map((tag) => [tag.slice(0, tag.indexOf('=')).trim(), tag.slice(tag.indexOf('=') + 1).replaceAll(/\s/g, '')]),
  );

const relaxHeader = (field: string): string => {
  const at = field.indexOf(':');
  const value = field
    .slice(at + 1)
    .replaceAll('\r\n', '')
    .replaceAll(/[ \t]+/g, ' ')
    .trim();
  return `${field.slice(0, at).trim().toLowerCase()}:${value}`;
};

const relaxBody = (body: string): string => {
  const lines = body.split('\r\n').map((line) => line.replaceAll(/[ \t]+/g, ' ').replace(/ $/, ''));
  while (lines.at(-1) === '') lines.pop();
  return lines.length === 0 ? '' : `${lines.join('\r\n')}\r\n`;
};

/** The signed headers if the signature is valid for the key in DNS; otherwise null. */
export async function verifyDkim(source: string, resolver: Resolver): Promise<readonly string[] | null> {
  const at = source.indexOf('\r\n\r\n');
  const fields = source.slice(0, at).split(/\r\n(?![ \t])/);
  const signature = fields.find((field) => /^dkim-signature:/i.test(field));
  if (signature === undefined) return null;
  const tags = tagsOf(signature.slice(signature.indexOf(':') + 1));
  const bodyHash = createHash('sha256')
    .update(relaxBody(source.slice(at + 4)), 'latin1')
    .digest('base64');
  if (tags.c !== 'relaxed/relaxed' || tags.a !== 'rsa-sha256' || tags.bh !== bodyHash) return null;
  const signed = (tags.h ?? '').split(':');
  const found = signed.map((name) => fields.findLast((field) => field.toLowerCase().startsWith(`${name}:`)) ?? '');
  const unsigned = relaxHeader(signature).replace(/\bb=[^;]*$/, 'b=');
  const text = [...found.map(relaxHeader), unsigned].join('\r\n');
  const [record = []] = await resolver.resolveTxt(`${tags.s}._domainkey.${tags.d}`);
  const key = createPublicKey({
    key: Buffer.from(tagsOf(record.join('')).p ?? '', 'base64'),
    format: 'der',
    type: 'spki',
  });
  return verify('sha256', Buffer.from(text, 'latin1'), key, Buffer.from(tags.b ?? '', 'base64')) ? signed : null;
}
