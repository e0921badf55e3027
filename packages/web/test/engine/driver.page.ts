import * as cameras from '../../recorder/engine/camera.ts';
import * as files from '../../recorder/engine/file.ts';
import { Meter } from '../../recorder/engine/meter.ts';
import * as recordings from '../../recorder/engine/recording.ts';
import { Spool } from '../../recorder/engine/spool.ts';
import { StateWatch } from '../../recorder/engine/state.ts';
import { UploadFailed } from '../../recorder/engine/tus.ts';
import type * as types from '../../recorder/engine/types.ts';
import { Upload } from '../../recorder/engine/upload.ts';

const engine = { ...cameras, ...files, ...recordings, Meter, Spool, StateWatch, UploadFailed, Upload };

import type { Driver, ProgressEntry, TakeDetails } from './driver.ts';

const CONSENT = '1 en';

let api = '';
let camera: cameras.Camera | null = null;
let meter: Meter | null = null;
let spool: Spool | null = null;
let isDurable = true;
let recording: recordings.Recording | null = null;
let upload: Upload | null = null;
let take: types.Take | null = null;
let endedBy: string | null = null;
let loudest = 0;
const progress: ProgressEntry[] = [];
const answers: string[] = [];

function present<T>(thing: T | null): T {
  if (thing === null) throw new Error('the test used something it has not opened yet');
  return thing;
}

function detailsOf(of: types.Take): TakeDetails {
  take = of;
  const { id, bytes, type, durationMs, complete, trim, captions } = of;
  return {
    id,
    bytes,
    type,
    durationMs,
    findings: [...of.findings],
    complete,
    levels: [...of.levels],
    trim,
    captions,
  };
}

function follow(of: Upload): void {
  upload = of;
  of.onProgress((entry) => progress.push({ ...entry }));
}

const driver: Driver = {
  async cameraProblem() {
    try {
      (await engine.openCamera('user')).close();
      return null;
    } catch (fault) {
      if (fault instanceof engine.CameraProblem) return fault.kind;
      throw fault;
    }
  },
  async openCamera() {
    camera = await engine.openCamera('user');
    meter = new engine.Meter(camera.stream);
    meter.onLevel((level) => {
      loudest = Math.max(loudest, level);
    });
    const { width = 0, height = 0 } = camera.stream.getVideoTracks()[0]?.getSettings() ?? {};
    const { hasSound, canFlip } = camera;
    return { type: engine.chooseType(camera.stream), width, height, hasSound, canFlip };
  },
  async flip() {
    const { stream } = present(camera);
    await present(camera).flip();
    const liveTracks = stream.getTracks().filter(({ readyState }) => readyState === 'live');
    const { facing } = present(camera);
    return {
      facing,
      liveTracks: liveTracks.map(({ kind }) => kind).sort(),
      sameStream: stream === present(camera).stream,
    };
  },
  async loseCamera() {
    let reports = 0;
    present(camera).onLost(() => {
      reports += 1;
    });
    for (const track of present(camera).stream.getTracks()) {
      track.stop();
      track.dispatchEvent(new Event('ended'));
    }
    return reports;
  },
  async openSpool(address) {
    api = address;
    spool = new engine.Spool(api, () => {
      isDurable = false;
    });
    await spool.settled();
    return isDurable;
  },
  durable: async () => isDurable,
  async start({ maxMs = 30_000, upload: uploads = true } = {}) {
    const type = present(engine.chooseType(present(camera).stream));
    const onEnd = (reason: string): void => {
      endedBy = reason;
    };
    recording = new engine.Recording(present(camera), present(meter), present(spool), { type, maxMs, onEnd });
    if (uploads) follow(new engine.Upload(api, present(spool), recording.takeId, CONSENT));
    return recording.takeId;
  },
  ended: async () => endedBy,
  stop: async () => detailsOf(await present(recording).stop()),
  abortRecording: () => present(recording).abort(),
  loudest: async () => loudest,
  async kept() {
    const found = await present(spool).latest();
    return found ? detailsOf(found) : null;
  },
  settled: () => present(spool).settled(),
  forget: (takeId) => present(spool).forget(takeId),
  async pick({ name, type, bytes, maxBytes, start = '\0\0\0 ftypisom' }) {
    const content = Uint8Array.from({ length: bytes }, (_, at) => at * 31 + (at >> 8) * 17);
    content.set(new TextEncoder().encode(start).subarray(0, bytes));
    const file = new File([content], name, { type });
    try {
      return detailsOf(await engine.pickedFile(file, present(spool), { max_bytes: maxBytes }));
    } catch (fault) {
      if (fault instanceof engine.FileProblem) return { problem: fault.kind };
      throw fault;
    }
  },
  edit: async (takeId, edits) => present(spool).edit(takeId, edits),
  resume: async (takeId) => follow(new engine.Upload(api, present(spool), takeId, CONSENT)),
  async send() {
    try {
      await present(upload).finish();
      return null;
    } catch (fault) {
      if (fault instanceof engine.UploadFailed) return { problem: fault.problem, closed: fault.closed };
      throw fault;
    }
  },
  abortUpload: () => present(upload).abort(),
  progress: async () => progress,
  async digest(takeId) {
    const { bytes = 0 } = present(spool).size(takeId) ?? {};
    const hash = await crypto.subtle.digest('SHA-256', await present(spool).read(takeId, 0, bytes));
    return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
  },
  async play() {
    const video = document.createElement('video');
    video.muted = true;
    video.src = present(take).url;
    await video.play();
    await new Promise((resolve) => {
      video.ontimeupdate = () => video.currentTime > 0.5 && resolve(undefined);
    });
    video.pause();
    return { width: video.videoWidth, height: video.videoHeight, playedTo: video.currentTime };
  },
  async watch() {
    new engine.StateWatch(api, (answer) => {
      if ('intro' in answer) answers.push(answer.recording?.status ?? answer.intro.status);
      else answers.push('closed' in answer ? answer.closed : (Object.keys(answer)[0] ?? ''));
    });
  },
  watched: async () => answers,
};

Object.assign(window, { driver });
