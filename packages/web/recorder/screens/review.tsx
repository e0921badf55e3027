import { useRef, useState } from 'preact/hooks';
import type { Take } from '../engine/index.ts';
import type { Model } from '../model.ts';
import { Icon } from '../parts/icons.tsx';
import { Note } from '../parts/note.tsx';
import { UploadBar } from '../parts/upload-bar.tsx';
import type { Session } from '../session.ts';
import { FINDINGS, RECORDING, REVIEW } from '../texts.ts';

const ICONS = {
  silent: 'voice',
  quiet: 'voice',
  clipping: 'voice',
  dark: 'light',
  cut_off: 'note',
  too_short: 'note',
} as const;

/** The whole picture is the button: a take is seconds long, and nobody needs a time line for it. */
function Playback({ take }: { take: Take }) {
  const video = useRef<HTMLVideoElement>(null);
  const [playing, setPlaying] = useState(false);
  const toggle = () => {
    const { current } = video;
    if (current === null) return;
    // A browser that cannot play this type leaves the first picture; sending works as well.
    if (current.paused) void current.play().catch(() => {});
    else current.pause();
  };
  const length = take.durationMs > 0 ? RECORDING.elapsed(Math.round(take.durationMs / 1000)) : '';
  const label = playing ? REVIEW.pause(length) : REVIEW.play(length);
  return (
    <button type="button" class="playback" aria-label={label} onClick={toggle}>
      {/* The fragment makes iPhones draw the first picture before anybody plays it. */}
      {/* biome-ignore lint/a11y/useMediaCaption: a member looks at their own take; captions are made from it later. */}
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
        <span class="play-sign">
          <Icon name="play" />
        </span>
      )}
      {length !== '' && <span class="length">{length}</span>}
    </button>
  );
}

export function ReviewScreen({ session, model, take }: { session: Session; model: Model; take: Take }) {
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
          <button type="button" class="button quiet" onClick={() => void session.retake()}>
            <Icon name="again" />
            {REVIEW.retake}
          </button>
          <button type="button" class="button" onClick={() => void session.send()}>
            {REVIEW.send(state.intro.recipient.first_name)}
          </button>
        </div>
      </div>
    </div>
  );
}
