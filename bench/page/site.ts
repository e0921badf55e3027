import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { createLogger } from '../../packages/server/src/platform/log.ts';
import { openWorkFolders } from '../../packages/server/src/platform/work-folders.ts';
import { createEncoder } from '../../packages/server/src/recordings/media/index.ts';
import { makeFolder, outputOf } from '../children.ts';

const FFMPEG = '/usr/bin/ffmpeg';
const TOKEN = 'BenchPage001';
const SCRIPT = 'Hi Dana, this is Ana from Acme Roofing. I will be at your house on Tuesday. See you then.';
const VIDEO = { width: 720, height: 1280, durationMs: 15_000 };

/** One recipient page of a running service. */
export interface Site {
  readonly url: string;
  readonly pagePath: string;
  readonly videoPath: string;
  /** A copy of the video on disk, for nginx to serve. */
  readonly videoFile: string;
}

/** A video with noise, which compresses about as well as a camera's, processed like a take. */
async function makeVideo(): Promise<string> {
  const folder = makeFolder();
  const into = join(folder, 'video');
  mkdirSync(into);
  const take = join(into, 'take.mp4');
  const seconds = VIDEO.durationMs / 1000;
  const picture = `gradients=s=${VIDEO.width}x${VIDEO.height}:r=30:d=${seconds}:n=5:seed=7,noise=alls=3:allf=t,format=yuv420p`;
  const sources = ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', `sine=220:d=${seconds}`];
  const codecs = [
    '-c:v',
    'libx264',
    '-preset',
    'veryfast',
    '-b:v',
    '2M',
    '-maxrate',
    '2M',
    '-bufsize',
    '4M',
    '-c:a',
    'aac',
  ];
  await outputOf(FFMPEG, ['-v', 'error', '-y', ...sources, ...codecs, take]);
  const workFolders = openWorkFolders({ workDir: undefined, dataDir: folder });
  const encoder = createEncoder({ ffmpegPath: FFMPEG, log: createLogger('silent'), workFolders, isolate: true });
  const signal = new AbortController().signal;
  await encoder.process({ file: take, into, script: SCRIPT, signal, onProgress: () => undefined });
  return into;
}

/** Writes an intro that is ready to watch to the service's database and object folder. */
export async function makeSite(options: { url: string; dataDir: string; database: pg.Client }): Promise<Site> {
  const { url, dataDir, database } = options;
  const { rows } = await database.query<{ organization_id: string; id: string }>(
    'select organization_id, id from members limit 1',
  );
  const [member] = rows;
  if (member === undefined) throw new Error('there is no member to record a video');
  const tenant = [member.organization_id, 'test'];
  const [intro, recording] = ['int_bench', 'rec_benchpage01'];
  await database.query(
    `insert into intros (organization_id, environment, id, status, member_id, recipient_first_name, recipient_phone, context,
      instructed, responsibility, metadata, created_at, recording_id)
    values ($1, $2, $3, 'ready', $4, 'Dana', '+14155550123', $5, true, 'integration', '{}', now(), $6)`,
    [
      ...tenant,
      intro,
      member.id,
      JSON.stringify({
        title: 'Meet Ana before your inspection',
        appointment: { starts_at: '2030-03-12T19:30:00.000Z', timezone: 'America/Chicago' },
        trade: 'roofing',
        lane: null,
      }),
      recording,
    ],
  );
  await database.query(
    `insert into recordings (organization_id, environment, id, intro_id, status, media_type, width, height, duration_ms,
      has_captions, created_at, touched_at)
    values ($1, $2, $3, $4, 'ready', 'video/mp4', $5, $6, $7, true, now(), now())`,
    [...tenant, recording, intro, VIDEO.width, VIDEO.height, VIDEO.durationMs],
  );
  const hash = createHash('sha256').update(TOKEN).digest();
  await database.query(
    "insert into links (organization_id, environment, intro_id, kind, hash) values ($1, $2, $3, 'page', $4)",
    [...tenant, intro, hash],
  );
  await database.query("update members set title = 'project manager', phone = '+13125550117' where id = $1", [
    member.id,
  ]);
  await database.query("update organizations set office_phone = '+13125550100', license = 'IL 104.018842'");
  const files = await makeVideo();
  const folder = join(dataDir, 'objects', member.organization_id, recording);
  mkdirSync(folder, { recursive: true });
  for (const name of ['video.mp4', 'poster.jpg', 'card.jpg', 'captions.vtt'])
    copyFileSync(join(files, name), join(folder, name));
  const pagePath = `/i/${TOKEN}`;
  return { url, pagePath, videoPath: `${pagePath}/${recording.slice(-10)}.mp4`, videoFile: join(files, 'video.mp4') };
}
