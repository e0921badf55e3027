import { LANGUAGES } from '@foreword/contract';
import { expect, test } from 'vitest';
import { buildMessage } from '../../src/delivery/carriers/smtp.ts';
import { sampleEmails } from './sample-emails.ts';

const decode = (text: string): string =>
  Buffer.from(
    text
      .replaceAll('=\r\n', '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
const visibleText = (html: string): string =>
  html
    .slice(html.indexOf('<body'))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&[a-z0-9#]+;/g, (entity) => ENTITIES[entity] ?? entity);
const wordsOf = (text: string): Set<string> => new Set(text.match(/[\p{L}\p{N}]+/gu));

const EMAILS = LANGUAGES.flatMap((language) =>
  sampleEmails(language).map((email) => ({ ...email, title: `${email.name} (${language})` })),
);

test.each(EMAILS)('$title: text first, then HTML with the same words, and nothing from elsewhere', async (email) => {
  const sender = { from: 'intros@acme.example' };
  const mail = { ...email, id: 'msg_1', to: 'ana@acme.example', fromName: 'Acme', attempt: 1 };
  const source = (await buildMessage(sender, mail)).toString();
  const [head = '', ...parts] = source.split(/\r\n----_NmP[^\r]*\r\n/);
  const headers = head.replaceAll(/\r\n[ \t]+/g, ' ');
  for (const name of ['From', 'To', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Auto-Submitted'])
    expect(headers.match(new RegExp(`^${name}: \\S`, 'gm'))).toHaveLength(1);
  expect(/^List-Unsubscribe: /m.test(headers)).toBe(email.name === 'weekly-summary');
  expect(headers).not.toMatch(/^(Reply-To|Bcc):/m);
  expect(parts.map((part) => /^Content-Type: (\S+);/m.exec(part)?.[1]).filter((type) => type !== undefined)).toEqual([
    'text/plain',
    'text/html',
  ]);
  const [text = '', html = ''] = parts.map((part) => decode(part.slice(part.indexOf('\r\n\r\n'))));
  expect(source.split('\r\n').every((line) => line.length <= 998)).toBe(true);
  expect(html).not.toMatch(/<img|<link|<script|<iframe|@import|url\(|src=/i);
  // Links are visible in the text, and are buttons in the HTML.
  const linkless = text.replaceAll(/https?:\/\/\S+/g, ' ');
  expect([...wordsOf(linkless)].filter((word) => !wordsOf(visibleText(html)).has(word))).toEqual([]);
  const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
  for (const link of links) expect(text).toContain(link);
});
