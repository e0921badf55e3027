import { once } from 'node:events';
import net from 'node:net';
import { eventually } from './actions.ts';
import type { ServiceFixture } from './service.ts';

/** A member's phone, which uploads with tus 1.0 to the member's link. */
export type Phone = Awaited<ReturnType<typeof openPhone>>;

const PART_BYTES = 300_000;
export const TUS = { 'tus-resumable': '1.0.0' };
const encoded = (type: string) => `filetype ${Buffer.from(type).toString('base64')}`;

/** The link has the public URL of the service, which tests reach at another address. */
export async function openPhone(fixture: Pick<ServiceFixture, 'run' | 'service'>, introId: string) {
  const { url: given } = await fixture.run('intro', 'link', introId);
  const url = fixture.service.url + new URL(given).pathname;
  const request = (method: string, at: string, headers: Record<string, string> = {}, body?: Uint8Array) =>
    fetch(new URL(at, fixture.service.url), {
      method,
      headers: { ...TUS, ...headers },
      ...(body !== undefined && { body: new Uint8Array(body) }),
    });
  const phone = {
    url,
    request,
    page: () => fetch(url, { redirect: 'manual' }),
    // biome-ignore lint/suspicious/noExplicitAny: tests access response fields freely, as in the harness.
    state: async (): Promise<any> => (await fetch(`${url}/state`)).json(),
    /** Starts an upload and returns its URL. */
    async begin({ type = 'video/mp4', length }: { type?: string; length?: number } = {}): Promise<string> {
      const size: Record<string, string> =
        length === undefined ? { 'upload-defer-length': '1' } : { 'upload-length': String(length) };
      const answer = await request('POST', `${url}/uploads`, { ...size, 'upload-metadata': encoded(type) });
      if (answer.status !== 201) throw new Error(`an upload could not start: ${answer.status} ${await answer.text()}`);
      return String(answer.headers.get('location'));
    },
    patch: (at: string, offset: number, bytes: Uint8Array, headers: Record<string, string> = {}) =>
      request(
        'PATCH',
        at,
        { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream', ...headers },
        bytes,
      ),
    offset: async (at: string) => Number((await request('HEAD', at)).headers.get('upload-offset')),
    /** Uploads a take in parts, with its length in the last request. */
    async send(bytes: Uint8Array, type = 'video/mp4'): Promise<string> {
      const at = await phone.begin({ type });
      for (let offset = 0; offset < bytes.length; offset += PART_BYTES) {
        const part = bytes.subarray(offset, offset + PART_BYTES);
        const isLast = offset + part.length === bytes.length;
        const answer = await phone.patch(at, offset, part, isLast ? { 'upload-length': String(bytes.length) } : {});
        if (answer.status !== 204) throw new Error(`a part was rejected: ${answer.status} ${await answer.text()}`);
      }
      return at;
    },
  };
  return phone;
}

export const untilRecording = (phone: Phone, status: string) =>
  eventually(
    () => phone.state(),
    (state) => state.recording?.status === status,
  );

export const untilIntro = (fixture: Pick<ServiceFixture, 'api'>, introId: string, status: string) =>
  eventually(async () => (await fixture.api.get(`/v1/intros/${introId}`)).body, { status });

/** Starts a PATCH that announces more than it sends. */
export async function sendHalf(
  { service }: Pick<ServiceFixture, 'service'>,
  at: string,
  announced: number,
  sent: Uint8Array,
): Promise<net.Socket> {
  const { port, hostname } = new URL(service.url);
  const socket = net.connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = [
    `PATCH ${at} HTTP/1.1`,
    `Host: ${hostname}`,
    'Tus-Resumable: 1.0.0',
    'Upload-Offset: 0',
    'Content-Type: application/offset+octet-stream',
    `Content-Length: ${announced}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(sent);
  return socket;
}
