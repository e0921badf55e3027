import { Readable } from 'node:stream';
import { DELIVERY_FAILURES } from '@foreword/contract';
import MailComposer from 'nodemailer/lib/mail-composer';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { CARRIER_LIMIT_MS } from '../queue/rules.ts';
import type { CarrierState, Mail, MailCarrier, Outcome } from './carrier.ts';

export interface MailServer {
  /** `smtp:` with STARTTLS where the server offers it, `smtps:` with TLS from the first byte. */
  readonly url: string;
  /** The address alone. The name beside it is the organization's. */
  readonly from: string;
}

interface Letter {
  readonly from: string;
  readonly to: string;
  readonly raw: Buffer;
}

interface Fault {
  readonly code?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly command?: string | undefined;
}

/** Once the server has begun to take the words, only its answer tells whether it kept them. */
class Broken extends Error {
  readonly fault: Fault;
  readonly hasBegun: boolean;

  constructor(fault: Fault, hasBegun: boolean) {
    super('the conversation broke off', { cause: fault });
    this.fault = fault;
    this.hasBegun = hasBegun;
  }
}

/**
 * A connection for each letter. The pool and the transport of nodemailer do not tell how far a letter had come when its
 * connection broke, and send it again by themselves; its connection, one layer below, asks for the words when it needs them.
 */
function converse({ url }: MailServer, letter: Letter | null): Promise<void> {
  const { auth, ...options } = parseConnectionUrl(url);
  const limits = {
    connectionTimeout: CARRIER_LIMIT_MS,
    greetingTimeout: CARRIER_LIMIT_MS,
    socketTimeout: CARRIER_LIMIT_MS,
    dnsTimeout: CARRIER_LIMIT_MS,
  };
  const connection = new SMTPConnection({ ...options, ...limits });
  let hasBegun = false;
  return new Promise<void>((resolve, reject) => {
    const breakOff = (fault: Fault) => reject(new Broken(fault, hasBegun));
    connection.on('error', (fault) => breakOff(fault));
    connection.on('end', () => breakOff({ code: 'ECONNECTION' }));
    const say = () => {
      if (letter === null) return resolve();
      const words = new Readable({
        read() {
          hasBegun = true;
          this.push(letter.raw);
          this.push(null);
        },
      });
      connection.send({ from: letter.from, to: [letter.to] }, words, (fault) => (fault ? breakOff(fault) : resolve()));
    };
    connection.connect((fault) => {
      if (fault) breakOff(fault);
      else if (auth === undefined) say();
      else connection.login(auth, (refused) => (refused ? breakOff(refused) : say()));
    });
  }).finally(() => connection.close());
}

function readFault({ fault, hasBegun }: Broken): Outcome {
  const { code, responseCode, command } = fault;
  if (code === 'EAUTH') return { kind: 'unusable', message: 'The mail server refuses the account of SMTP_URL.' };
  if (responseCode !== undefined && responseCode >= 500) {
    if (command === 'MAIL FROM') {
      return { kind: 'unusable', message: `The mail server refuses the sender of MAIL_FROM (${responseCode}).` };
    }
    return {
      kind: 'refused',
      code: 'carrier_refused',
      message: `${DELIVERY_FAILURES.carrier_refused} (${responseCode})`,
    };
  }
  if (responseCode !== undefined) return { kind: 'later', message: `The mail server answered ${responseCode}.` };
  return hasBegun
    ? { kind: 'doubt', message: `The mail server did not say whether it took the letter (${code}).` }
    : { kind: 'later', message: `No conversation with the mail server (${code}).` };
}

async function tryTo(server: MailServer, letter: Letter | null): Promise<Outcome> {
  try {
    await converse(server, letter);
    return { kind: 'accepted', carrierId: null };
  } catch (error) {
    if (error instanceof Broken) return readFault(error);
    throw error;
  }
}

function compose({ id, to, fromName, subject, text, html }: Mail, from: string): Promise<Buffer> {
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const composed = new MailComposer({
    from: { name: fromName, address: from },
    to: { name: '', address: to },
    subject,
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
    isLocal: false,
    async send(mail) {
      const raw = await compose(mail, server.from);
      return tryTo(server, { from: server.from, to: mail.to, raw });
    },
    // SMTP has no question for it.
    look: async () => ({ kind: 'unanswerable' }),
    async check(): Promise<CarrierState> {
      const outcome = await tryTo(server, null);
      if (outcome.kind === 'accepted')
        return { status: 'ok', message: 'The mail server takes the account of SMTP_URL.' };
      const isRefused = outcome.kind === 'unusable' || outcome.kind === 'refused';
      return { status: isRefused ? 'refused' : 'unreachable', message: outcome.message };
    },
  };
}
