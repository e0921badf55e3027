import { useRef, useState } from 'preact/hooks';
import type { Take } from '../engine/index.ts';
import type { RecordingFlow } from '../flow.ts';
import type { Model } from '../model.ts';
import { Icon } from '../parts/icons.tsx';
import { Note } from '../parts/page.tsx';
import { UploadBar } from '../parts/upload-bar.tsx';
import { FINDINGS, RECORDING, REVIEW } from '../texts.ts';

const ICONS = {
  silent: 'voice',
  quiet: 'voice',
  clipping: 'voice',
  dark: 'light',
  cut_off: 'note',
  too_short: 'note',
} as const;

/** The whole picture is the play button: a take of a few seconds needs no timeline. */
function Playback({ take }: { take: Take }) {
  const video = useRef<HTMLVideoElement>(null);
  const [playing, setPlaying] = useState(false);
  const toggle = () => {
    const { current } = video;
    if (current === null) return;
    // A browser that cannot play this type shows the first frame; sending still works.
    if (current.paused) void current.play().catch(() => {});
    else current.pause();
  };
  const length = take.durationMs > 0 ? RECORDING.elapsed(Math.round(take.durationMs / 1000)) : '';
  const label = playing ? REVIEW.pause(length) : REVIEW.play(length);
  return (
    <button type="button" class="playback" aria-label={label} onClick={toggle}>
      {/* The fragment makes iPhones show the first frame before playback. */}
      {/* biome-ignore lint/a11y/useMediaCaption: the member reviews their own take; captions are created later. */}
      <video
        ref={video}
        src={`${take.url}#t=0.001`}
        playsInline
        preload="auto"
        tabIndex={-1}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setPlaying(false)}
      />
      {!playing && (
        <span class="play-icon">
          <Icon name="play" />
        </span>
      )}
      {length !== '' && <span class="length">{length}</span>}
    </button>
  );
}

export function ReviewScreen({ flow, model, take }: { flow: RecordingFlow; model: Model; take: Take }) {
  const { upload, state, durable } = model;
  return (
    <div class="review">
      <div class="review-picture">
        <Playback key={take.id} take={take} />
      </div>
      <div class="review-side">
        <h1 tabIndex={-1}>{REVIEW.heading}</h1>
        {take.findings.map((finding) => (
          <Note key={finding} icon={ICONS[finding]} tone="warn">
            {FINDINGS[finding]}
          </Note>
        ))}
        <UploadBar upload={upload} durable={durable} />
        <div class="pair">
          <button type="button" class="button quiet" onClick={() => void flow.retake()}>
            <Icon name="again" />
            {REVIEW.retake}
          </button>
          <button type="button" class="button" onClick={() => void flow.send()}>
            {REVIEW.send(state.intro.recipient.first_name)}
          </button>
        </div>
      </div>
    </div>
  );
}
