import { fork } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Encoder, TakeRefused } from '../../src/recordings/media/index.ts';
import { SPACE_PROBE } from '../../src/recordings/media/job-runner.ts';
import { CHILD_MEMORY_BYTES } from '../../src/recordings/media/limits.ts';
import {
  ffmpegPath,
  limitEncoder,
  makeFolder,
  makeSample,
  OPUS,
  openEncoder,
  usesProgram,
  VP8,
  workOn,
} from './media-fixture.ts';

let longTake: Promise<string> | undefined;
/** Long enough to interrupt while it is encoded. Shared by all tests, which only read it. */
function makeLongTake(): Promise<string> {
  longTake ??= makeFolder().then((folder) =>
    makeSample(folder, { size: '720x1280', seconds: 12, rate: 5, name: 'take.webm', video: VP8, audio: OPUS }),
  );
  return longTake;
}

/** Processes a take that is not interrupted, and returns the error. */
async function failureOf(encoder: Encoder, take: { file: string; into: string }): Promise<unknown> {
  const { signal } = new AbortController();
  return encoder.process({ ...take, script: null, signal, onProgress: () => {} }).catch((thrown: unknown) => thrown);
}

const makeShortTake = async () =>
  workOn(await makeSample(await makeFolder(), { name: 'take.webm', video: VP8, audio: OPUS }));

interface Running {
  readonly pid: number;
  readonly state: string;
  readonly command: string;
}

/** Every process that works in the folder, including the guarding shell. */
function workersIn(folder: string): Running[] {
  const found: Running[] = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const state = /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
      const isWorking = command.includes(folder) || readlinkSync(`/proc/${pid}/cwd`).includes(folder);
      if (isWorking && state !== 'Z') found.push({ pid: Number(pid), state, command });
    } catch {
      // It ended while it was read.
    }
  }
  return found;
}

async function until<Found>(find: () => Found | undefined | false, limitMs = 60_000): Promise<Found> {
  for (let waited = 0; waited < limitMs; waited += 50) {
    const found = find();
    if (found !== undefined && found !== false) return found;
    await sleep(50);
  }
  throw new Error('timed out waiting for a process');
}

const isEncoder = ({ command }: Running): boolean =>
  usesProgram
    ? command.startsWith('ffmpeg ') && command.includes('video.mp4')
    : /^\S*node .*media\.child/.test(command);

async function startEncoding(limits = {}, fromPercent = 10) {
  const { file, into } = await workOn(await makeLongTake());
  const aborting = new AbortController();
  let percent = 0;
  const onProgress = (value: number): void => {
    percent = value;
  };
  const done = limitEncoder(limits).process({ file, into, script: null, signal: aborting.signal, onProgress });
  const ended = done.then(
    () => new Error('processing succeeded'),
    (error: unknown) => error,
  );
  await until(() => percent >= fromPercent);
  const encoder = await until(() => workersIn(into).find(isEncoder));
  return { into, encoder, ended, aborting };
}

describe('an encoder', () => {
  test('that is killed fails without refusing the take, and leaves no process behind', async () => {
    const { into, encoder, ended } = await startEncoding();
    process.kill(encoder.pid, 'SIGKILL');
    const error = await ended;
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(TakeRefused);
    await until(() => workersIn(into).length === 0);
  });

  test('whose shell is killed leaves no process behind', async () => {
    const { into, ended } = await startEncoding();
    const guard = workersIn(into).find(({ command }) => command.includes('foreword-guard'));
    process.kill(guard?.pid ?? Number.NaN, 'SIGKILL');
    expect(await ended).not.toBeInstanceOf(TakeRefused);
    await until(() => workersIn(into).length === 0);
  });

  test('that hangs is killed at its timeout', async () => {
    const { into, encoder, ended } = await startEncoding({ processMs: 3_000 }, 0);
    process.kill(encoder.pid, 'SIGSTOP');
    expect(String(await ended)).toContain('timed out after 3000 ms');
    await until(() => workersIn(into).length === 0);
  });

  test('that is aborted ends at once', async () => {
    const { into, ended, aborting } = await startEncoding();
    aborting.abort(new Error('the intro was cancelled'));
    expect(String(await ended)).toContain('the intro was cancelled');
    await until(() => workersIn(into).length === 0);
  });

  test('does not outlive the service, even when the service is killed', async () => {
    const { file, into } = await workOn(await makeLongTake());
    const service = fork(join(import.meta.dirname, 'service.child.ts'), [JSON.stringify({ file, into, ffmpegPath })]);
    await until(() => workersIn(into).find(isEncoder));
    service.kill('SIGKILL');
    await until(() => workersIn(into).length === 0);
    expect(workersIn(into)).toEqual([]);
  });

  test('and its children are isolated: a low priority, a memory limit, another user than root, a filter of system calls, and no way to gain privileges', async () => {
    const { into, ended, aborting } = await startEncoding({ niceness: 10 });
    const workers = workersIn(into).map(({ pid, command }) => ({
      isGuard: command.includes('foreword-guard'),
      isMediaChild: /^\S*node .*media\.child/.test(command),
      limits: readFileSync(`/proc/${pid}/limits`, 'utf8'),
      status: readFileSync(`/proc/${pid}/status`, 'utf8'),
      niceness: Number(
        readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) /, '')
          .split(' ')[16],
      ),
    }));
    expect(workers.length).toBeGreaterThanOrEqual(usesProgram ? 3 : 2);
    const own = process.getuid?.() ?? 0;
    for (const { isGuard, isMediaChild, limits, status, niceness } of workers) {
      expect(limits).toMatch(new RegExp(`^Max data size\\s+${CHILD_MEMORY_BYTES}\\s`, 'm'));
      if (isMediaChild) expect(niceness).toBe(getPriority() + 10);
      if (isGuard) continue;
      expect(status).toMatch(new RegExp(`^Uid:\\s+${own === 0 ? 65_533 : own}\\s`, 'm'));
      expect(status).toMatch(/^Seccomp:\s+2$/m);
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
      expect(status).toMatch(/^CapEff:\s+0+$/m);
    }
    expect(workers.some(({ isMediaChild }) => isMediaChild)).toBe(true);
    aborting.abort(new Error('done'));
    expect(String(await ended)).toContain('done');
  });

  test('that exceeds its file size limit fails without refusing the take', async () => {
    const error = await failureOf(limitEncoder({ fileBytes: 20_000 }), await workOn(await makeLongTake()));
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(TakeRefused);
  });

  test.each(['video.mp4', 'poster.jpg'])(
    'that meets a full disk while writing %s fails with ENOSPC and its cause',
    async (name) => {
      const take = await makeShortTake();
      // Writing to this device fails like a full disk, for root too.
      for (const full of [name, SPACE_PROBE]) symlinkSync('/dev/full', join(take.into, full));
      const error = await failureOf(openEncoder(), take);
      expect(error).not.toBeInstanceOf(TakeRefused);
      expect(error).toMatchObject({ code: 'ENOSPC', cause: expect.any(Error) });
    },
  );

  test('that fails with free disk space reports the original error, and leaves no probe file', async () => {
    const take = await makeShortTake();
    symlinkSync('/dev/full', join(take.into, 'poster.jpg'));
    const error = await failureOf(openEncoder(), take);
    expect(error).not.toBeInstanceOf(TakeRefused);
    expect(error).not.toHaveProperty('code');
    expect(readdirSync(take.into)).not.toContain(SPACE_PROBE);
  });
});

test('the engine describes itself with its version', async () => {
  const description = await openEncoder().describe();
  expect(description).toMatch(usesProgram ? /^ffmpeg \d+\.\d+\S* at / : /^node-av \d+\.\d+\S* \(FFmpeg \d+\.\d+\S*\)$/);
});
