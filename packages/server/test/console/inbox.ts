import { SMTPServer } from 'smtp-server';
import { eventually } from '../acceptance/support/actions.ts';
import { listenLocally } from '../harness/streams.ts';

export interface Email {
  readonly to: string;
  /** The path of its sign-in link. */
  readonly path: string;
  readonly text: string;
}

const decode = (source: string): string =>
  source
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

export type Inbox = Awaited<ReturnType<typeof openInbox>>;

/** A mail server with every email that it received. */
export async function openInbox() {
  const emails: Email[] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const text = decode(Buffer.concat(chunks).toString());
        const [path = ''] = /\/console\/signin\/[0-9A-Za-z]+/.exec(text) ?? [];
        emails.push({ to: envelope.rcptTo[0]?.address ?? '', path, text });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  const { port, close } = await listenLocally(server.server);
  const address = { url: `smtp://127.0.0.1:${port}/?ignoreTLS=true`, from: 'intros@acme.example' };
  return {
    /** Settings for the service that sends through it. */
    environment: { SMTP_URL: address.url, MAIL_FROM: address.from },
    /** The same, for the delivery module. */
    server: address,
    emails,
    /** Waits until at least `count` emails have arrived, and returns the newest. */
    async newest(count: number) {
      await eventually(() => emails.length >= count);
      const newest = emails.at(-1);
      if (newest === undefined) throw new Error('no email arrived');
      return newest;
    },
    close,
  };
}
