import { Agent, get, type IncomingMessage } from 'node:http';
import { aside, atMost, type Finding, median, ms, quantile } from '../figures.ts';
import type { Site } from './site.ts';

const WANTED_BYTES = 14 * 1024;
const WANTED_MS = 3;
const WARM_UP = 100;

interface Answer {
  readonly ms: number;
  /** Status line, headers and body, as they came over the wire. */
  readonly bytes: number;
}

const sizeOfHead = ({ httpVersion, statusCode, statusMessage, rawHeaders }: IncomingMessage): number =>
  `HTTP/${httpVersion} ${statusCode} ${statusMessage}\r\n`.length +
  rawHeaders.join('').length +
  rawHeaders.length * 2 +
  2;

function ask(url: string, agent: Agent, encoding: string): Promise<Answer> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { 'accept-encoding': encoding } }, (answer) => {
      let bytes = sizeOfHead(answer);
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve({ ms: performance.now() - begun, bytes });
        else reject(new Error(`${url} was answered with ${answer.statusCode}`));
      });
    }).on('error', reject);
  });
}

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;

/** One reader at a time, on a connection that stays: what the server itself takes, and the loopback. */
export async function measureSingle(site: Site, count: number): Promise<Finding[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const url = site.url + site.pagePath;
  const sizes = { br: (await ask(url, agent, 'br')).bytes, gzip: (await ask(url, agent, 'gzip')).bytes };
  for (let n = 0; n < WARM_UP; n++) await ask(url, agent, 'br');
  const took: number[] = [];
  for (let n = 0; n < count; n++) took.push((await ask(url, agent, 'br')).ms);
  agent.destroy();
  return [
    atMost('page with its headers, brotli', sizes.br, WANTED_BYTES, kilobytes),
    atMost('page with its headers, gzip', sizes.gzip, WANTED_BYTES, kilobytes),
    atMost(`page, median of ${count}`, median(took), WANTED_MS, ms),
    aside('  99 of 100 within', ms(quantile(took, 0.99))),
  ];
}
