import { fork } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TakeRefused } from '../../src/recordings/media/index.ts';
import { CHILD_MEMORY_BYTES } from '../../src/recordings/media/limits.ts';
import { ROOM } from '../../src/recordings/media/room.ts';
import { ffmpegPath, limitEncoder, makeFolder, makeSample, OPUS, openEncoder, usesProgram, VP8 } from './studio.ts';

let longTake: Promise<string> | undefined;
/** Long enough to be caught at work. One for all tests: it is only read. */
function makeLongTake(): Promise<string> {
  longTake ??= makeFolder().then((folder) =>
    makeSample(folder, { size: '720x1280', seconds: 12, rate: 5, name: 'take.webm', video: VP8, audio: OPUS }),
  );
  return longTake;
}

let shortTake: Promise<string> | undefined;
/** For what goes wrong whoever looks on. */
function makeShortTake(): Promise<string> {
  shortTake ??= makeFolder().then((folder) => makeSample(folder, { name: 'take.webm', video: VP8, audio: OPUS }));
  return shortTake;
}

interface Running {
  readonly pid: number;
  readonly state: string;
  readonly command: string;
}

/** Every process that works in the folder, the shell that guards included. */
function workersIn(folder: string): Running[] {
  const found: Running[] = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const state = /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
      const works = command.includes(folder) || readlinkSync(`/proc/${pid}/cwd`).includes(folder);
      if (works && state !== 'Z') found.push({ pid: Number(pid), state, command });
    } catch {
      // It ended while it was looked at.
    }
  }
  return found;
}

async function until<Found>(look: () => Found | undefined | false, limitMs = 20_000): Promise<Found> {
  for (let waited = 0; waited < limitMs; waited += 50) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    await sleep(50);
  }
  throw new Error('it did not come to this');
}

const isEncoder = ({ command }: Running): boolean =>
  usesProgram
    ? command.startsWith('ffmpeg ') && command.includes('video.mp4')
    : /^\S*node .*errand\.child/.test(command);

async function startEncoding(limits = {}) {
  const [file, into] = [await makeLongTake(), await makeFolder()];
  const aborting = new AbortController();
  let percent = 0;
  const onProgress = (value: number): void => {
    percent = value;
  };
  const done = limitEncoder(limits).process({ file, into, script: null, signal: aborting.signal, onProgress });
  const ended = done.then(
    () => new Error('it succeeded'),
    (error: unknown) => error,
  );
  await until(() => percent >= 10);
  const encoder = await until(() => workersIn(into).find(isEncoder));
  return { into, encoder, ended, aborting };
}

describe('an encoder', () => {
  it('that is killed ends in an error that is not the member’s, and leaves nobody behind', async () => {
    const { into, encoder, ended } = await startEncoding();
    process.kill(encoder.pid, 'SIGKILL');
    const error = await ended;
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(TakeRefused);
    await until(() => workersIn(into).length === 0);
  }, 90_000);

  it('whose shell is killed takes everybody with it', async () => {
    const { into, ended } = await startEncoding();
    const guard = workersIn(into).find(({ command }) => command.includes('foreword-guard'));
    process.kill(guard?.pid ?? Number.NaN, 'SIGKILL');
    expect(await ended).not.toBeInstanceOf(TakeRefused);
    await until(() => workersIn(into).length === 0);
  }, 90_000);

  it('that stands still is ended when its time is over', async () => {
    const { into, encoder, ended } = await startEncoding({ processMs: 12_000 });
    process.kill(encoder.pid, 'SIGSTOP');
    expect(String(await ended)).toContain('no end after 12000 ms');
    await until(() => workersIn(into).length === 0);
  }, 90_000);

  it('that is no longer wanted ends at once', async () => {
    const { into, ended, aborting } = await startEncoding();
    aborting.abort(new Error('the intro was cancelled'));
    expect(String(await ended)).toContain('the intro was cancelled');
    await until(() => workersIn(into).length === 0);
  }, 90_000);

  it('does not outlive the service, even when that is killed', async () => {
    const [file, into] = [await makeLongTake(), await makeFolder()];
    const service = fork(join(import.meta.dirname, 'service.child.ts'), [JSON.stringify({ file, into, ffmpegPath })]);
    await until(() => workersIn(into).find(isEncoder));
    service.kill('SIGKILL');
    await until(() => workersIn(into).length === 0);
    expect(workersIn(into)).toEqual([]);
  }, 90_000);

  it('works at the lowest priority', async () => {
    const [file, into, aborting] = [await makeLongTake(), await makeFolder(), new AbortController()];
    const done = limitEncoder({ niceness: 19 }).process({
      file,
      into,
      script: null,
      signal: aborting.signal,
      onProgress: () => {},
    });
    const worker = await until(() => workersIn(into).find(({ command }) => /^\S*node .*errand\.child/.test(command)));
    const niceness = Number(
      readFileSync(`/proc/${worker.pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')[16],
    );
    expect(niceness).toBe(19);
    aborting.abort(new Error('seen'));
    await expect(done).rejects.toThrow('seen');
  }, 90_000);

  it('is bound in all its memory, that of libraries included, and so is whatever it starts', async () => {
    const { into, ended, aborting } = await startEncoding();
    const bounds = workersIn(into).map(({ pid, command }) => {
      const [, bytes] = /^Max data size\s+(\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? [];
      return { command, bytes };
    });
    expect(bounds.length).toBeGreaterThan(1);
    expect(bounds).toEqual(bounds.map(({ command }) => ({ command, bytes: String(CHILD_MEMORY_BYTES) })));
    aborting.abort(new Error('seen'));
    expect(String(await ended)).toContain('seen');
  }, 90_000);

  it('that may not write as much as it would ends in an error that is not the member’s', async () => {
    const [file, into] = [await makeLongTake(), await makeFolder()];
    const signal = new AbortController().signal;
    const done = limitEncoder({ fileBytes: 20_000 }).process({
      file,
      into,
      script: null,
      signal,
      onProgress: () => {},
    });
    const error = await done.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(TakeRefused);
  }, 90_000);

  it.each(['video.mp4', 'poster.jpg', 'card.jpg'])(
    'for whose %s the disk has no room ends in the error of a full disk, and says what it met',
    async (name) => {
      const [file, into] = [await makeShortTake(), await makeFolder()];
      // Whatever is written to this device meets a full disk, for every user.
      for (const full of [name, ROOM]) symlinkSync('/dev/full', join(into, full));
      const signal = new AbortController().signal;
      const done = openEncoder().process({ file, into, script: null, signal, onProgress: () => {} });
      const error = await done.catch((thrown: unknown) => thrown);
      expect(error).not.toBeInstanceOf(TakeRefused);
      expect(error).toMatchObject({ code: 'ENOSPC', cause: expect.any(Error) });
    },
    90_000,
  );

  it('that fails where there is room fails as it did, and leaves nothing of the search for room', async () => {
    const [file, into] = [await makeShortTake(), await makeFolder()];
    symlinkSync('/dev/full', join(into, 'poster.jpg'));
    const signal = new AbortController().signal;
    const done = openEncoder().process({ file, into, script: null, signal, onProgress: () => {} });
    const error = await done.catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(TakeRefused);
    expect(error).not.toHaveProperty('code');
    expect(readdirSync(into)).not.toContain(ROOM);
  }, 90_000);
});

describe('the engine', () => {
  it('says what it is', async () => {
    const said = await openEncoder().describe();
    expect(said).toMatch(usesProgram ? /^ffmpeg \d+\.\d+\S* at / : /^node-av \d+\.\d+\S* \(FFmpeg \d+\.\d+\S*\)$/);
  });
});
