import { Agent, get, type IncomingMessage } from 'node:http';
import { atMost, type Finding, info, median, ms, quantile } from '../figures.ts';
import type { Site } from './site.ts';

const MAX_BYTES = 14 * 1024;
const MAX_MS = 3;
const WARM_UP = 100;

interface Result {
  readonly ms: number;
  /** Status line, headers and body, as sent over the network. */
  readonly bytes: number;
}

const sizeOfHead = ({ httpVersion, statusCode, statusMessage, rawHeaders }: IncomingMessage): number =>
  `HTTP/${httpVersion} ${statusCode} ${statusMessage}\r\n`.length +
  rawHeaders.join('').length +
  rawHeaders.length * 2 +
  2;

function load(url: string, agent: Agent, encoding: string): Promise<Result> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { 'accept-encoding': encoding } }, (response) => {
      let bytes = sizeOfHead(response);
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve({ ms: performance.now() - started, bytes });
        else reject(new Error(`${url} returned ${response.statusCode}`));
      });
    }).on('error', reject);
  });
}

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;

/** One reader at a time on a keep-alive connection: the server's own time plus loopback. */
export async function measureSingle(site: Site, count: number): Promise<Finding[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const url = site.url + site.pagePath;
  const sizes = { br: (await load(url, agent, 'br')).bytes, gzip: (await load(url, agent, 'gzip')).bytes };
  for (let n = 0; n < WARM_UP; n++) await load(url, agent, 'br');
  const took: number[] = [];
  for (let n = 0; n < count; n++) took.push((await load(url, agent, 'br')).ms);
  agent.destroy();
  return [
    atMost('page with its headers, brotli', sizes.br, MAX_BYTES, kilobytes),
    atMost('page with its headers, gzip', sizes.gzip, MAX_BYTES, kilobytes),
    atMost(`page, median of ${count}`, median(took), MAX_MS, ms),
    info('  p99', ms(quantile(took, 0.99))),
  ];
}
