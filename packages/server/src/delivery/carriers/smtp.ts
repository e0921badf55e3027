import { Readable } from 'node:stream';
import { DELIVERY_FAILURES, withoutDirection } from '@foreword/contract';
import MailComposer from 'nodemailer/lib/mail-composer';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { CARRIER_LIMIT_MS } from '../queue/rules.ts';
import type { CarrierState, Mail, MailCarrier, Outcome } from './carrier.ts';

export interface MailServer {
  /** `smtp:` with STARTTLS where the server offers it, `smtps:` with TLS from the first byte. */
  readonly url: string;
  /** The address only. The display name is the organization's. */
  readonly from: string;
}

interface Envelope {
  readonly from: string;
  readonly to: string;
  readonly raw: Buffer;
}

interface Fault {
  readonly code?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly command?: string | undefined;
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

/**
 * Opens one connection per email. nodemailer's transport and pool hide how far an email got before a failure, and retry on
 * their own; its connection, one layer below, reads the content only when the server is ready for it.
 */
function deliver({ url }: MailServer, envelope: Envelope | null): Promise<void> {
  const { auth, ...options } = parseConnectionUrl(url);
  const limits = {
    connectionTimeout: CARRIER_LIMIT_MS,
    greetingTimeout: CARRIER_LIMIT_MS,
    socketTimeout: CARRIER_LIMIT_MS,
    dnsTimeout: CARRIER_LIMIT_MS,
  };
  const connection = new SMTPConnection({ ...options, ...limits });
  let hasSentContent = false;
  return new Promise<void>((resolve, reject) => {
    const fail = (fault: Fault) => reject(new SmtpFault(fault, hasSentContent));
    connection.on('error', (fault) => fail(fault));
    connection.on('end', () => fail({ code: 'ECONNECTION' }));
    const send = () => {
      if (envelope === null) return resolve();
      const content = new Readable({
        read() {
          hasSentContent = true;
          this.push(envelope.raw);
          this.push(null);
        },
      });
      connection.send({ from: envelope.from, to: [envelope.to] }, content, (fault) =>
        fault ? fail(fault) : resolve(),
      );
    };
    connection.connect((fault) => {
      if (fault) fail(fault);
      else if (auth === undefined) send();
      else connection.login(auth, (refused) => (refused ? fail(refused) : send()));
    });
  }).finally(() => connection.close());
}

function readFault({ fault, hasSentContent }: SmtpFault): Outcome {
  const { code, responseCode, command } = fault;
  if (code === 'EAUTH') return { kind: 'unusable', message: 'The mail server rejects the account in SMTP_URL.' };
  if (responseCode !== undefined && responseCode >= 500) {
    if (command === 'MAIL FROM') {
      return { kind: 'unusable', message: `The mail server rejects the sender in MAIL_FROM (${responseCode}).` };
    }
    return {
      kind: 'refused',
      code: 'carrier_refused',
      message: `${DELIVERY_FAILURES.carrier_refused} (${responseCode})`,
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

function compose({ id, to, fromName, subject, text, html }: Mail, from: string): Promise<Buffer> {
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const composed = new MailComposer({
    from: { name: withoutDirection(fromName), address: from },
    to: { name: '', address: to },
    subject: withoutDirection(subject),
    text,
    html,
    messageId: `<${id}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  });
  return composed.compile().build();
}

export function createSmtpCarrier(server: MailServer): MailCarrier {
  return {
    name: 'smtp',
    async send(mail) {
      const raw = await compose(mail, server.from);
      return tryTo(server, { from: server.from, to: mail.to, raw });
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
