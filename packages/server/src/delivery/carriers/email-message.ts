import { buffer } from 'node:stream/consumers';
import { withoutDirection } from '@foreword/contract';
import DKIM from 'nodemailer/lib/dkim';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { DkimKey } from '../../platform/dkim.ts';
import type { Mail } from './carrier.ts';

export interface MailSender {
  /** The address only. The display name is the organization's. */
  readonly from: string;
  /** Where mail servers send reports of bounces. Undefined: to the sender. */
  readonly bouncesTo?: string | undefined;
  /** Undefined: only the mail server may sign. */
  readonly dkim?: DkimKey | undefined;
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/**
 * Relays such as Amazon SES replace Message-ID and Date, which would break a signature over them. Mail clients honor
 * one-click unsubscribing only if both of its headers are signed (RFC 8058).
 */
const SIGNED_HEADERS =
  'From:To:Subject:Reply-To:MIME-Version:Content-Type:Auto-Submitted:List-Unsubscribe:List-Unsubscribe-Post';

const unsubscribeHeaders = (url: string) => ({
  'List-Unsubscribe': { prepared: true, value: `<${url}>` },
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

function sign({ domain, selector, privateKey }: DkimKey, message: Buffer): Promise<Buffer> {
  const key = { domainName: domain, keySelector: selector, privateKey };
  return buffer(new DKIM({ keys: [key], headerFieldNames: SIGNED_HEADERS }).sign(message));
}

/** The email as it is sent: text first, then HTML, and signed if there is a key. */
export async function buildMessage({ from, dkim }: MailSender, mail: Mail): Promise<Buffer> {
  const { id, token = id, to, fromName, subject, text, html, unsubscribeUrl } = mail;
  const composed = new MailComposer({
    from: { name: withoutDirection(fromName), address: from },
    to: { name: '', address: to },
    subject: withoutDirection(subject),
    text,
    html,
    headers: {
      // On one line: some mail servers do not expect a line break in it.
      'Message-ID': { prepared: true, value: `<${token}@${domainOf(from)}>` },
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribeUrl !== undefined && unsubscribeHeaders(unsubscribeUrl)),
    },
  });
  const message = await composed.compile().build();
  return dkim === undefined ? message : sign(dkim, message);
}
