import { once } from 'node:events';
import type net from 'node:net';
import { SMTPServer } from 'smtp-server';
import { eventually } from '../acceptance/support/actions.ts';

export interface Letter {
  readonly to: string;
  /** The path of the link in it. */
  readonly path: string;
  readonly text: string;
}

/** A mail server, and all that came to it. */
export interface Mailbox {
  /** For the service that is to use it. */
  readonly environment: Record<string, string>;
  readonly letters: Letter[];
  /** The newest letter, once there are so many. */
  newest(count: number): Promise<Letter>;
  close(): Promise<void>;
}

const decode = (source: string): string =>
  source
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

export async function openMailbox(): Promise<Mailbox> {
  const letters: Letter[] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const text = decode(Buffer.concat(chunks).toString());
        const [path = ''] = /\/console\/signin\/[0-9A-Za-z]+/.exec(text) ?? [];
        letters.push({ to: envelope.rcptTo[0]?.address ?? '', path, text });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as net.AddressInfo;
  return {
    environment: { SMTP_URL: `smtp://127.0.0.1:${port}/?ignoreTLS=true`, MAIL_FROM: 'intros@acme.example' },
    letters,
    async newest(count) {
      await eventually(
        async () => letters.length,
        (length) => length >= count,
      );
      const newest = letters.at(-1);
      if (newest === undefined) throw new Error('no letter came');
      return newest;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
