import type net from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { listenLocally } from '../harness/streams.ts';

export interface ReceivedEmail {
  readonly to: string;
  readonly from: string;
  readonly source: string;
  readonly isSecure: boolean;
  /** The envelope id that a report of a bounce has. */
  readonly envelopeId: string | null;
}

export const refusal = (code: number, message: string) => Object.assign(new Error(message), { responseCode: code });

export type MailService = Awaited<ReturnType<typeof startMail>>;

/** A mail server on this machine. It rejects some addresses, by their first word. */
export async function startMail({
  onEmail = async () => undefined,
  ...options
}: SMTPServerOptions & { onEmail?: (email: ReceivedEmail) => Promise<unknown> } = {}) {
  const emails: ReceivedEmail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onRcptTo({ address }, _session, done) {
      if (address.startsWith('unknown@')) return done(refusal(550, 'no such user'));
      if (address.startsWith('busy@')) return done(refusal(451, 'later'));
      done();
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { envelope, secure } = session;
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const [to] = envelope.rcptTo.map(({ address }) => address);
        const source = Buffer.concat(chunks).toString();
        const email = { to: to ?? '', from, source, isSecure: secure, envelopeId: envelope.dsn?.envid ?? null };
        emails.push(email);
        // The server has the email, but never acknowledges it.
        if (to?.startsWith('cut@') === true) for (const socket of connections) socket.destroy();
        else void onEmail(email).then(() => done());
      });
    },
    ...options,
  });
  const connections = new Set<net.Socket>();
  server.server.on('connection', (socket: net.Socket) => connections.add(socket));
  server.on('error', () => undefined);
  return { ...(await listenLocally(server.server)), emails };
}
