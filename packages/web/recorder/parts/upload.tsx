import { LEFTOVER, NOT_KEPT, OFFLINE, SENDING, UPLOAD, UPLOAD_PROBLEMS } from '#recorder-texts';
import type { UploadProgress } from '../engine/types.ts';
import { HELD_BACK_BYTES } from '../engine/upload.ts';
import type { Model } from '../model.ts';
import { Button } from './button.tsx';
import { Note, type ScreenProps } from './page.tsx';

/** Why nothing can be sent: the phone has no signal, or its signal does not lead to the server. */
export const sayOffline = ({ state }: Model): string =>
  navigator.onLine ? OFFLINE.noServer(state.organization.name) : OFFLINE.noSignal;

/** The rest, which is held back until the member taps Send, counts as sent. */
export function percentSent({ sentBytes, totalBytes, state }: UploadProgress): number {
  if (state === 'done') return 100;
  if (totalBytes === null || totalBytes === 0) return 0;
  return Math.min(100, Math.floor(((sentBytes + HELD_BACK_BYTES) / totalBytes) * 100));
}

/** Shows the upload progress while the member reviews the take. */
export function UploadBar({ model }: { model: Model }) {
  const { upload, durable } = model;
  if (upload?.state === 'waiting_for_signal') return <Waiting model={model} />;
  return (
    <>
      {!durable && <Note tone="warn">{NOT_KEPT}</Note>}
      {upload !== null && <Progress upload={upload} />}
    </>
  );
}

function Progress({ upload }: { upload: UploadProgress }) {
  if (upload.state === 'failed') return <Note tone="bad">{UPLOAD_PROBLEMS[upload.problem ?? 'refused']}</Note>;
  const percent = percentSent(upload);
  const label = percent === 100 ? UPLOAD.all : UPLOAD.percent(percent);
  return (
    <div>
      <progress max={100} value={percent} aria-label={label} />
      <p class="small">{label}</p>
    </div>
  );
}

export function Waiting({ model }: { model: Model }) {
  const { upload, durable } = model;
  const why = upload?.isServerFull ? UPLOAD.full : sayOffline(model);
  return (
    <Note icon="signal" tone="warn">
      {`${why} ${durable ? UPLOAD.waiting : UPLOAD.waitingOpen}`}
    </Note>
  );
}

/** A take that is only on this device: from an earlier visit, or one that could not be sent. */
export function Leftover({ flow, model: { state, leftover, durable } }: Omit<ScreenProps, 'recorder'>) {
  if (leftover === null || state.intro.status === 'sent') return null;
  const { complete } = leftover;
  return (
    <section class="card" aria-labelledby="leftover">
      <h2 id="leftover">{complete ? LEFTOVER.heading : LEFTOVER.interrupted}</h2>
      <p>{complete ? (durable ? LEFTOVER.kept : SENDING.keep) : LEFTOVER.watchFirst}</p>
      <div class="pair">
        <Button
          kind={complete ? 'quiet' : 'main'}
          icon="play"
          label={LEFTOVER.watch}
          onClick={() => void flow.watchLeftover()}
        />
        <Button kind={complete ? 'main' : 'quiet'} label={LEFTOVER.send} onClick={() => void flow.send()} />
      </div>
    </section>
  );
}
