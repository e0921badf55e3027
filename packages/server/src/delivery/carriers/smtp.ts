import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { DELIVERY_FAILURES, withoutDirection } from '@foreword/contract';
import type { DkimKey } from '../../platform/dkim.ts';
import { enhancedCodeIn, isAddressWrong, toReason } from '../bounces/reports.ts';
import { CARRIER_LIMIT_MS } from '../queue/rules.ts';
import type { CarrierState, Mail, MailCarrier, Outcome } from './carrier.ts';

export interface MailServer extends MailSender {
  /** `smtp:` with STARTTLS where the server offers it, `smtps:` with TLS from the first byte. */
  readonly url: string;
  /** Authenticates reports of bounces. Undefined: they are not accepted. */
  readonly bounceSecret?: string | undefined;
}

interface Envelope {
  readonly from: string;
  readonly to: string;
  readonly token: string | undefined;
  readonly raw: Buffer;
  readonly beforeContent: () => Promise<void>;
}

interface Fault {
  readonly code?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly command?: string | undefined;
  /** As the server sent it. */
  readonly response?: string | undefined;
}

/** If the content was being sent, only the server knows whether it accepted the email. */
class SmtpFault extends Error {
  readonly fault: Fault;
  readonly hasSentContent: boolean;

  constructor(fault: Fault, hasSentContent: boolean) {
    super('the SMTP connection failed', { cause: fault });
    this.fault = fault;
    this.hasSentContent = hasSentContent;
  }
}

/** Servers that support it return the token in their reports (RFC 3461), even if a relay replaced the Message-ID. */
const toSmtp = ({ from, to, token }: Envelope) => ({
  ...{ from, to: [to] },
  ...(token !== undefined && { dsn: { id: token, return: 'headers', notify: 'failure', recipient: to } }),
});

/** For the whole conversation. It ends before the caller gives up, so that a slow server gets no content after that. */
const CONVERSATION_LIMIT_MS = 1.5 * CARRIER_LIMIT_MS;

/**
 * Opens one connection per email. nodemailer's transport and pool hide how far an email got before a failure, and retry on
 * their own; its connection, one layer below, reads the content only when the server is ready for it.
 */
async function deliver({ url }: MailServer, envelope: Envelope | null): Promise<void> {
  const { parseConnectionUrl } = await import('nodemailer/lib/shared');
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection');
  const { auth, ...options } = parseConnectionUrl(url);
  const limits = {
    connectionTimeout: CARRIER_LIMIT_MS,
    greetingTimeout: CARRIER_LIMIT_MS,
    socketTimeout: CARRIER_LIMIT_MS,
    dnsTimeout: CARRIER_LIMIT_MS,
  };
  const connection = new SMTPConnection({ ...options, ...limits });
  let isAsked = false;
  let hasSentContent = false;
  let timer: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve, reject) => {
    const fail = (fault: Fault) => reject(new SmtpFault(fault, hasSentContent));
    timer = setTimeout(fail, CONVERSATION_LIMIT_MS, { code: 'ETIMEDOUT' });
    connection.on('error', (fault) => fail(fault));
    connection.on('end', () => fail({ code: 'ECONNECTION' }));
    const send = () => {
      if (envelope === null) return resolve();
      const content = new Readable({
        read() {
          if (isAsked) return;
          isAsked = true;
          envelope.beforeContent().then(
            () => {
              hasSentContent = true;
              this.push(envelope.raw);
              this.push(null);
            },
            (error: Error) => this.destroy(error),
          );
        },
      });
      connection.send(toSmtp(envelope), content, (fault) => (fault ? fail(fault) : resolve()));
    };
    connection.connect((fault) => {
      if (fault) fail(fault);
      else if (auth === undefined) send();
      else connection.login(auth, (refused) => (refused ? fail(refused) : send()));
    });
  }).finally(() => {
    clearTimeout(timer);
    connection.close();
  });
}

function readFault({ fault, hasSentContent }: SmtpFault): Outcome {
  const { code, responseCode, command, response = '' } = fault;
  if (code === 'EAUTH') {
    return { kind: 'unusable', fault: 'credentials', message: 'The mail server rejects the account in SMTP_URL.' };
  }
  if (responseCode !== undefined && responseCode >= 500) {
    if (command === 'MAIL FROM') {
      return {
        kind: 'unusable',
        fault: 'sender',
        message: `The mail server rejects the sender in MAIL_FROM (${responseCode}).`,
      };
    }
    return {
      kind: 'refused',
      code: 'carrier_refused',
      message: `${DELIVERY_FAILURES.carrier_refused} (${toReason(response) || responseCode})`,
      isAddressWrong: isAddressWrong({ code: enhancedCodeIn(response), text: response }),
    };
  }
  if (responseCode !== undefined) return { kind: 'later', message: `The mail server responded ${responseCode}.` };
  return hasSentContent
    ? { kind: 'doubt', message: `The mail server did not confirm the email (${code}).` }
    : { kind: 'later', message: `Cannot connect to the mail server (${code}).` };
}

async function tryTo(server: MailServer, envelope: Envelope | null): Promise<Outcome> {
  try {
    await deliver(server, envelope);
    return { kind: 'accepted', carrierId: null };
  } catch (error) {
    if (error instanceof SmtpFault) return readFault(error);
    throw error;
  }
}

export function createSmtpCarrier(server: MailServer): MailCarrier {
  return {
    name: 'smtp',
    async send(mail) {
      const raw = await buildMessage(server, mail);
      const { to, token, beforeContent = async () => undefined } = mail;
      return tryTo(server, { from: server.bouncesTo ?? server.from, to, token, raw, beforeContent });
    },
    // SMTP cannot look up an email.
    lookUp: async () => ({ kind: 'unsupported' }),
    async check(): Promise<CarrierState> {
      const outcome = await tryTo(server, null);
      if (outcome.kind === 'accepted')
        return { status: 'ok', message: 'The mail server accepts the account in SMTP_URL.' };
      const isRefused = outcome.kind === 'unusable' || outcome.kind === 'refused';
      return { status: isRefused ? 'refused' : 'unreachable', message: outcome.message };
    },
  };
}

interface MailSender {
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

async function sign({ domain, selector, privateKey }: DkimKey, message: Buffer): Promise<Buffer> {
  const { default: DKIM } = await import('nodemailer/lib/dkim');
  const key = { domainName: domain, keySelector: selector, privateKey };
  return buffer(new DKIM({ keys: [key], headerFieldNames: SIGNED_HEADERS }).sign(message));
}

/** The email as it is sent: text first, then HTML, and signed if there is a key. */
export async function buildMessage({ from, dkim }: MailSender, mail: Mail): Promise<Buffer> {
  const { id, token = id, to, fromName, subject, text, html, unsubscribeUrl } = mail;
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composed = new MailComposer({
    from: { name: withoutDirection(fromName), address: from },
    to: { name: '', address: to },
    subject: withoutDirection(subject),
    text,
    html: html(),
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
