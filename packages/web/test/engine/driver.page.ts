import * as engine from '../../recorder/engine/index.ts';
import type { Driver, ProgressEntry, TakeDetails } from './driver.ts';

const CONSENT = '1 en';

let api = '';
let camera: engine.Camera | null = null;
let meter: engine.Meter | null = null;
let spool: engine.Spool | null = null;
let recording: engine.Recording | null = null;
let upload: engine.Upload | null = null;
let take: engine.Take | null = null;
let endedBy: string | null = null;
let loudest = 0;
const progress: ProgressEntry[] = [];
const answers: string[] = [];

function present<T>(thing: T | null): T {
  if (thing === null) throw new Error('the test used something it has not opened yet');
  return thing;
}

function detailsOf(of: engine.Take): TakeDetails {
  take = of;
  const { id, bytes, blobParts, type, durationMs, complete, trim } = of;
  return { id, bytes, blobParts, type, durationMs, findings: [...of.findings], complete, levels: [...of.levels], trim };
}

function follow(of: engine.Upload): void {
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
    meter = engine.openMeter(camera.stream);
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
    spool = await engine.openSpool(api);
    await spool.settled();
    return spool.durable;
  },
  durable: async () => present(spool).durable,
  async start({ maxMs = 30_000, upload: uploads = true } = {}) {
    const type = present(engine.chooseType(present(camera).stream));
    const onEnd = (reason: string): void => {
      endedBy = reason;
    };
    recording = engine.startRecording(present(camera), present(meter), present(spool), { type, maxMs, onEnd });
    if (uploads) follow(engine.beginUpload(api, present(spool), recording.takeId, CONSENT));
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
  async pick({ name, type, bytes, maxBytes }) {
    const file = new File([Uint8Array.from({ length: bytes }, (_, at) => at * 31 + (at >> 8) * 17)], name, { type });
    try {
      return detailsOf(await engine.pickedFile(file, present(spool), { max_bytes: maxBytes }));
    } catch (fault) {
      if (fault instanceof engine.FileProblem) return { problem: fault.kind };
      throw fault;
    }
  },
  trim: async (takeId, part) => present(spool).trim(takeId, part),
  resume: async (takeId) => follow(engine.beginUpload(api, present(spool), takeId, CONSENT)),
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
    engine.watchState(api, (answer) => {
      if ('intro' in answer) answers.push(answer.recording?.status ?? answer.intro.status);
      else answers.push('closed' in answer ? answer.closed : (Object.keys(answer)[0] ?? ''));
    });
  },
  watched: async () => answers,
};

Object.assign(window, { driver });
