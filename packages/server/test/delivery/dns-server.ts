import dgram from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';

const A = 1;
const TXT = 16;
const NO_SUCH_NAME = 3;

/** Text records by name, and addresses under `A:NAME`. `null`: the server never answers. */
export type Zone = Record<string, readonly string[] | null>;

/** A text record, in the strings of at most 255 bytes that DNS has. */
function encodeText(text: string): Buffer {
  const strings = text.match(/.{1,255}/gs) ?? [''];
  return Buffer.concat(strings.flatMap((part) => [Buffer.from([part.length]), Buffer.from(part, 'latin1')]));
}

function encodeRecord(type: number, text: string): Buffer {
  const data = type === A ? Buffer.from(text.split('.').map(Number)) : encodeText(text);
  const head = Buffer.alloc(12);
  // A pointer to the name in the question.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 };
}

function answer(query: Buffer, zone: Zone): Buffer | null {
  const { name, end } = readName(query);
  const type = query.readUInt16BE(end - 4);
  const records = zone[type === TXT ? name : type === A ? `A:${name}` : ''];
  if (records === null) return null;
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8580 | (records === undefined ? NO_SUCH_NAME : 0), 2);
  header.writeUInt16BE(records?.length ?? 0, 6);
  header.writeUInt16BE(0, 8);
  // Drops the additional record of EDNS.
  header.writeUInt16BE(0, 10);
  return Buffer.concat([
    header,
    query.subarray(12, end),
    ...(records ?? []).map((record) => encodeRecord(type, record)),
  ]);
}

/** A DNS server on this machine, and a resolver that queries only it. */
export async function startDns(zone: Zone): Promise<{ server: string; resolver: Resolver; close(): void }> {
  const socket = dgram.createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const response = answer(query, zone);
    if (response !== null) socket.send(response, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const resolver = new Resolver({ timeout: 3_000, tries: 1 });
  const server = `127.0.0.1:${socket.address().port}`;
  resolver.setServers([server]);
  return { server, resolver, close: () => socket.close() };
}
