import { useEffect, useState } from 'preact/hooks';
import { COUNTDOWN, RECORDING } from '#recorder-texts';

const FROM = 3;

export function Countdown({ onEnd, onCancel }: { onEnd(): void; onCancel(): void }) {
  const [left, setLeft] = useState(FROM);
  useEffect(() => {
    const timer = setTimeout(() => (left > 1 ? setLeft(left - 1) : onEnd()), 1000);
    return () => clearTimeout(timer);
  }, [left, onEnd]);
  useEffect(() => {
    const leave = (event: KeyboardEvent) => {
      if (event.key === 'Escape') onCancel();
    };
    const hide = () => {
      if (document.visibilityState === 'hidden') onCancel();
    };
    const end = new AbortController();
    window.addEventListener('keydown', leave, end);
    document.addEventListener('visibilitychange', hide, end);
    return () => end.abort();
  }, [onCancel]);
  return (
    <>
      <p class="countdown" key={left} aria-hidden="true">
        {left}
      </p>
      <p class="sr" role="alert">
        {left === FROM ? COUNTDOWN.begins(left) : String(left)}
      </p>
    </>
  );
}

/** Announced this many seconds before the end, so that no sentence is cut off. */
const ENDING_S = 5;

export interface Elapsed {
  seconds: number;
  /** Past the soft limit, which is allowed. */
  longer: boolean;
  /** Seconds until the recording stops automatically; null until shortly before. */
  ending: number | null;
}

/** Whole seconds, so that the screen renders once a second. */
export function useElapsed(startedAtMs: number | null, limits: { soft_s: number; hard_s: number }): Elapsed {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    setSeconds(0);
    if (startedAtMs === null) return;
    const update = () => setSeconds(Math.floor((performance.now() - startedAtMs) / 1000));
    const timer = setInterval(update, 200);
    return () => clearInterval(timer);
  }, [startedAtMs]);
  const left = limits.hard_s - seconds;
  return { seconds, longer: seconds >= limits.soft_s, ending: left <= ENDING_S ? Math.max(0, left) : null };
}

interface RingProps {
  limits: { soft_s: number; hard_s: number };
  longer: boolean;
}

/** One lap up to the soft limit, and another in a second color up to the hard limit. */
export function Ring({ limits: { soft_s, hard_s }, longer }: RingProps) {
  const animationDuration = `${longer ? hard_s - soft_s : soft_s}s`;
  return (
    <svg class={longer ? 'ring longer' : 'ring'} key={String(longer)} viewBox="0 0 92 92" aria-hidden="true">
      <circle cx="46" cy="46" r="42" />
      <circle class="lap" cx="46" cy="46" r="42" pathLength={1} style={{ animationDuration }} />
    </svg>
  );
}

/** For screen readers: each text is announced once, not every second. */
export function sayElapsed({ longer, ending }: Elapsed): string {
  if (ending !== null) return RECORDING.ending;
  return longer ? RECORDING.longer : '';
}
