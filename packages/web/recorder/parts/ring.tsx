import { useEffect, useRef, useState } from 'preact/hooks';
import { RECORDING } from '../texts.ts';
import { eachFrame, prefersStillness } from './motion.ts';

const RADIUS = 42;
const LENGTH = 2 * Math.PI * RADIUS;
/** The last seconds are told, so that nobody is cut off in a sentence. */
const ENDING_S = 5;

export interface Elapsed {
  seconds: number;
  /** Past the soft limit: nobody minds. */
  longer: boolean;
  /** Seconds until it ends by itself, when they are few. */
  ending: number | null;
}

/** Whole seconds only: the screen is drawn anew when one has passed. */
export function useElapsed(startedAtMs: number | null, limits: { soft_s: number; hard_s: number }): Elapsed {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    setSeconds(0);
    if (startedAtMs === null) return;
    const look = () => setSeconds(Math.floor((performance.now() - startedAtMs) / 1000));
    const timer = setInterval(look, 200);
    return () => clearInterval(timer);
  }, [startedAtMs]);
  const left = limits.hard_s - seconds;
  return { seconds, longer: seconds >= limits.soft_s, ending: left <= ENDING_S ? Math.max(0, left) : null };
}

interface RingProps {
  startedAtMs: number;
  limits: { soft_s: number; hard_s: number };
  longer: boolean;
}

/** One lap to the soft limit, another in a second colour to the hard one. */
export function Ring({ startedAtMs, limits: { soft_s, hard_s }, longer }: RingProps) {
  const lap = useRef<SVGCircleElement>(null);
  useEffect(
    () =>
      eachFrame(() => {
        if (lap.current === null) return;
        const seconds = (performance.now() - startedAtMs) / 1000;
        const share = seconds < soft_s ? seconds / soft_s : (seconds - soft_s) / (hard_s - soft_s);
        const shown = prefersStillness() ? 1 : Math.min(1, share);
        lap.current.style.strokeDashoffset = String(LENGTH * (1 - shown));
      }),
    [startedAtMs, soft_s, hard_s],
  );
  return (
    <svg class={longer ? 'ring longer' : 'ring'} viewBox="0 0 92 92" aria-hidden="true">
      <circle cx="46" cy="46" r={RADIUS} />
      <circle class="lap" ref={lap} cx="46" cy="46" r={RADIUS} stroke-dasharray={LENGTH} stroke-dashoffset={LENGTH} />
    </svg>
  );
}

/** Said once each, not every second. */
export function sayElapsed({ longer, ending }: Elapsed): string {
  if (ending !== null) return RECORDING.ending;
  return longer ? RECORDING.longer : '';
}
