import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, makeFolder, outputOf, startPart, startProcess } from '../children.ts';
import { atLeast, type Finding, info, median, perSecond, print, times } from '../figures.ts';
import type { Site } from './site.ts';

const WRK = '/usr/bin/wrk';
const NGINX = '/usr/sbin/nginx';
const PAGE_CONNECTIONS = 64;
const VIDEO_CONNECTIONS = 16;
const MIN_OF_BARE = 0.15;
const MIN_OF_NGINX = 0.3;
const START_LIMIT_MS = 5_000;
const START_POLL_MS = 20;
const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 };

interface Rates {
  readonly requests: number;
  readonly bytes: number;
}

async function load(url: string, connections: number, seconds: number): Promise<Rates> {
  if (!existsSync(WRK)) throw new Error(`${WRK} is missing. Install it with: apt-get install wrk`);
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-H', 'Accept-Encoding: br'];
  const printed = await outputOf(WRK, [...options, url]);
  if (/Non-2xx|Socket errors: .*[1-9]/.test(printed)) throw new Error(`${url} had failed requests:\n${printed}`);
  const [, requests] = /Requests\/sec:\s+([\d.]+)/.exec(printed) ?? [];
  const [, bytes, unit = ''] = /Transfer\/sec:\s+([\d.]+)([KMG]?B)/.exec(printed) ?? [];
  return { requests: Number(requests), bytes: Number(bytes) * (UNITS[unit] ?? Number.NaN) };
}

async function waitUntilUp(url: string): Promise<void> {
  const started = performance.now();
  while (performance.now() - started < START_LIMIT_MS) {
    if (
      await fetch(url, { method: 'HEAD' }).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await sleep(START_POLL_MS);
  }
  throw new Error(`${url} does not respond`);
}

/** Debian's default settings, except for paths and port. */
async function startNginx(videoFile: string): Promise<string> {
  if (!existsSync(NGINX)) throw new Error(`${NGINX} is missing. Install it with: apt-get install nginx-light`);
  const folder = makeFolder();
  const port = await freePort();
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  for (const name of folders) mkdirSync(join(folder, name));
  const temporary = folders.map((name) => `${name}_temp_path ${join(folder, name)};`).join(' ');
  const settings = join(folder, 'nginx.conf');
  writeFileSync(
    settings,
    // If the bench runs as root, the workers must as well, because only root can read the folder.
    `${process.getuid?.() === 0 ? 'user root;' : ''} worker_processes auto; pid ${folder}/pid; error_log ${folder}/error.log; daemon off;
events { worker_connections 768; }
http { sendfile on; tcp_nopush on; access_log ${folder}/access.log; ${temporary} types { video/mp4 mp4; }
server { listen 127.0.0.1:${port}; root ${dirname(videoFile)}; } }
`,
  );
  startProcess(NGINX, ['-c', settings, '-e', join(folder, 'error.log')], { env: {}, stdout: 'pipe' });
  const url = `http://127.0.0.1:${port}/video.mp4`;
  await waitUntilUp(url);
  return url;
}

const gigabytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(2)} GB/s`;

export interface Effort {
  readonly rounds: number;
  readonly seconds: number;
}

async function compare(
  name: string,
  measured: () => Promise<number>,
  ceiling: () => Promise<number>,
  options: { effort: Effort; target: number; baseline: string; show: (value: number) => string },
): Promise<Finding[]> {
  const rounds: { ours: number; theirs: number }[] = [];
  const { effort, target, baseline, show } = options;
  for (let n = 1; n <= effort.rounds; n++) {
    const theirs = await ceiling();
    const ours = await measured();
    rounds.push({ ours, theirs });
    print(`  ${name}: ${show(ours)}, ${baseline} ${show(theirs)}`);
  }
  const ratio = median(rounds.map(({ ours, theirs }) => ours / theirs));
  const medianOf = (side: 'ours' | 'theirs') => show(median(rounds.map((round) => round[side])));
  return [
    info(name, `${medianOf('ours')}; ${baseline} ${medianOf('theirs')}`),
    atLeast(`  compared with ${baseline}`, ratio, target, times),
  ];
}

export async function measurePageRate(site: Site, effort: Effort): Promise<Finding[]> {
  const port = await freePort();
  const body = await fetch(site.url + site.pagePath, { headers: { 'accept-encoding': 'br' } }).then((page) =>
    page.text(),
  );
  await startPart('ceilings/bare-page.ts', [`${port}`, body.slice(0, body.length / 3)]);
  const rate = async (url: string) => (await load(url, PAGE_CONNECTIONS, effort.seconds)).requests;
  return compare(
    `pages, ${PAGE_CONNECTIONS} connections`,
    () => rate(site.url + site.pagePath),
    () => rate(`http://127.0.0.1:${port}/page`),
    { effort, target: MIN_OF_BARE, baseline: 'bare Fastify', show: perSecond },
  );
}

export async function measureVideoRate(site: Site, effort: Effort): Promise<Finding[]> {
  const nginx = await startNginx(site.videoFile);
  const rate = async (url: string) => (await load(url, VIDEO_CONNECTIONS, effort.seconds)).bytes;
  return compare(
    `video bytes, ${VIDEO_CONNECTIONS} connections`,
    () => rate(site.url + site.videoPath),
    () => rate(nginx),
    { effort, target: MIN_OF_NGINX, baseline: 'nginx', show: gigabytes },
  );
}
