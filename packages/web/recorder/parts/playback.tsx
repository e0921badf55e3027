import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { REVIEW } from '#recorder-texts';
import type { Take, Trim } from '../engine/types.ts';
import { clock, keptMs } from '../trim.ts';
import { Icon } from './icons.tsx';
import { eachFrame } from './motion.ts';

/** Closer to the end than this, Play starts again. */
const AT_END_MS = 150;

export function usePlayer(kept: Trim, isCut: boolean) {
  const video = useRef<HTMLVideoElement>(null);
  const wantedMs = useRef<number | null>(null);
  const [isPlaying, setPlaying] = useState(false);
  const { startMs, endMs } = kept;

  useEffect(() => {
    if (!isPlaying || !isCut) return;
    return eachFrame(() => {
      const { current } = video;
      if (current !== null && current.currentTime * 1000 >= endMs) current.pause();
    });
  }, [isPlaying, isCut, endMs]);

  /** Plays the kept part, or pauses. */
  const toggle = () => {
    const { current } = video;
    if (current === null) return;
    if (!current.paused) return current.pause();
    const atMs = current.currentTime * 1000;
    if (isCut && (atMs < startMs || atMs > endMs - AT_END_MS)) current.currentTime = startMs / 1000;
    // A browser that cannot play this type shows the first frame; sending still works.
    void current.play().catch(() => {});
  };

  /** Pauses where the take is cut. One seek at a time: a phone is slower than the finger. */
  const show = useCallback((atMs: number) => {
    const { current } = video;
    if (current === null) return;
    current.pause();
    wantedMs.current = atMs;
    const seek = () => {
      if (wantedMs.current === null) return;
      current.currentTime = wantedMs.current / 1000;
      wantedMs.current = null;
    };
    current.onseeked = seek;
    if (!current.seeking) seek();
  }, []);

  return { video, isPlaying, setPlaying, toggle, show };
}

export type Player = ReturnType<typeof usePlayer>;

/** The whole picture is the play button. */
export function Playback({ take, kept, player }: { take: Take; kept: Trim; player: Player }) {
  const { video, isPlaying, setPlaying, toggle } = player;
  const length = take.durationMs > 0 ? clock(keptMs(kept)) : '';
  const label = isPlaying ? REVIEW.pause(length) : REVIEW.play(length);
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
      {!isPlaying && (
        <span class="play-icon">
          <Icon name="play" />
        </span>
      )}
      {length !== '' && <span class="length">{length}</span>}
    </button>
  );
}
