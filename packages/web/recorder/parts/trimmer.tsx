import { useEffect, useMemo, useRef } from 'preact/hooks';
import { TRIM } from '#recorder-texts';
import type { Take, Trim } from '../engine/types.ts';
import { clock, drawWaveform, keptMs, keptPart, moveEnd, TRIM_STEP_MS, type TrimEnd } from '../trim.ts';
import { Button } from './button.tsx';
import { eachFrame } from './motion.ts';
import type { Player } from './playback.tsx';

const BARS = 56;

interface TrimmerProps {
  take: Take;
  kept: Trim;
  /** The length that a video should not exceed. */
  limitS: number;
  player: Player;
  onTrim(trim: Trim | null): void;
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10;
const edgeOf = (kept: Trim, end: TrimEnd): number => (end === 'start' ? kept.startMs : kept.endMs);

/** A native slider, so that every keyboard and screen reader can move it. */
function Handle({ end, take, kept, player, onTrim }: TrimmerProps & { end: TrimEnd }) {
  const { durationMs } = take;
  const atMs = edgeOf(kept, end);
  const say = end === 'start' ? TRIM.startsAt : TRIM.endsAt;
  return (
    <input
      class={`trim-handle ${end}`}
      type="range"
      min={0}
      max={Math.ceil(durationMs / TRIM_STEP_MS) * TRIM_STEP_MS}
      step={TRIM_STEP_MS}
      value={atMs}
      aria-label={end === 'start' ? TRIM.start : TRIM.end}
      aria-valuetext={say(seconds(atMs), seconds(keptMs(kept)))}
      onInput={({ currentTarget }) => {
        const trim = moveEnd(kept, end, currentTarget.valueAsNumber, durationMs);
        const movedMs = edgeOf(keptPart({ durationMs, trim }), end);
        // Beyond the limit nothing changes, so nothing is rendered that would take the handle back.
        currentTarget.valueAsNumber = movedMs;
        onTrim(trim);
        player.show(movedMs);
      }}
    />
  );
}

/** The line that shows where the video is. */
function Playhead({ take, player: { video, isPlaying } }: TrimmerProps) {
  const line = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!isPlaying) return;
    return eachFrame(() => {
      const share = (video.current?.currentTime ?? 0) / (take.durationMs / 1000);
      line.current?.style.setProperty('--at', String(Math.min(1, share)));
    });
  }, [isPlaying, video, take]);
  return <span class="playhead" ref={line} hidden={!isPlaying} />;
}

function Length({ take, kept, limitS, onTrim }: TrimmerProps) {
  const isCut = take.trim !== null;
  const isLong = keptMs(kept) >= (limitS + 1) * 1000;
  const rule = isLong ? TRIM.long(limitS) : isCut ? TRIM.fits(limitS) : TRIM.hint;
  return (
    <div class="row">
      <p>
        {isCut && <strong>{TRIM.kept(clock(keptMs(kept)), clock(take.durationMs))} </strong>}
        <span class={isLong ? 'long' : undefined}>{rule}</span>
      </p>
      {isCut && (
        <Button
          kind="plain"
          icon="again"
          label={TRIM.reset}
          onClick={({ currentTarget }) => {
            // The button disappears.
            currentTarget.closest('fieldset')?.querySelector('input')?.focus();
            onTrim(null);
          }}
        />
      )}
    </div>
  );
}

/** Cuts off the start and the end of a take. */
export function Trimmer(props: TrimmerProps) {
  const { take, kept } = props;
  const wave = useMemo(() => drawWaveform(take.levels, BARS), [take.levels]);
  const [from, to] = [kept.startMs / take.durationMs, kept.endMs / take.durationMs];
  return (
    <fieldset class="trim">
      <legend class="sr">{TRIM.title}</legend>
      <div class="strip" style={{ '--from': from, '--to': to }}>
        <svg class="wave" viewBox={`0 0 ${BARS} 100`} preserveAspectRatio="none" aria-hidden="true">
          <path d={wave} />
        </svg>
        <span class="cut" />
        <span class="frame" />
        <Playhead {...props} />
        <Handle {...props} end="start" />
        <span class="grip start" />
        <Handle {...props} end="end" />
        <span class="grip end" />
      </div>
      <Length {...props} />
    </fieldset>
  );
}
