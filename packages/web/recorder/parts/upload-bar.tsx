import { NOT_KEPT, UPLOAD, UPLOAD_PROBLEMS } from '#recorder-texts';
import type { UploadProgress } from '../engine/index.ts';
import { Note } from './page.tsx';

/** Above this, a number would only make the member wait for 100 %. */
const ALMOST_PERCENT = 85;

export function percentSent({ sentBytes, totalBytes, state }: UploadProgress): number {
  if (state === 'done') return 100;
  if (totalBytes === null || totalBytes === 0) return 0;
  return Math.min(100, Math.floor((sentBytes / totalBytes) * 100));
}

function sayPercent(percent: number): string {
  if (percent === 100) return UPLOAD.all;
  if (percent >= ALMOST_PERCENT) return UPLOAD.most;
  return percent === 0 ? UPLOAD.begun : UPLOAD.percent(percent);
}

/** Shows the upload progress while the member reviews the take. */
export function UploadBar({ upload, durable }: { upload: UploadProgress | null; durable: boolean }) {
  if (upload?.state === 'waiting_for_signal') return <WaitingForSignal upload={upload} durable={durable} />;
  return (
    <>
      {!durable && <Note tone="warn">{NOT_KEPT}</Note>}
      {upload !== null && <Progress upload={upload} />}
    </>
  );
}

function Progress({ upload }: { upload: UploadProgress }) {
  if (upload.state === 'failed')
    return <Note tone="bad">{upload.problem === undefined ? UPLOAD.failed : UPLOAD_PROBLEMS[upload.problem]}</Note>;
  const percent = percentSent(upload);
  const label = sayPercent(percent);
  return (
    <div class="upload">
      <progress max={100} value={percent} aria-label={label} />
      <p>{label}</p>
    </div>
  );
}

export function WaitingForSignal({ upload, durable }: { upload: UploadProgress; durable: boolean }) {
  if (upload.isServerFull) return <Note tone="warn">{durable ? UPLOAD.full : UPLOAD.fullOpen}</Note>;
  return (
    <Note icon="signal" tone="warn">
      {durable ? UPLOAD.waiting : UPLOAD.waitingOpen}
    </Note>
  );
}
