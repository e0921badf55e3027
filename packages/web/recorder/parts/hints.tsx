import { useEffect, useRef, useState } from 'preact/hooks';
import { CAMERA } from '#recorder-texts';
import type { Equipment } from '../equipment.ts';
import { Icon } from './icons.tsx';

/** Mean brightness, 0 to 1. Two thresholds, so that the hint does not flicker. */
const DARK = { below: 0.2, above: 0.27 };
/** About one second at four samples a second: a hand in front of the lens is not a dark room. */
const DARK_SAMPLES = 4;
/** A voice at arm's length reaches this level; a quiet room does not. */
const HEARD_LEVEL = 0.4;
const LOUD_FOR_MS = 2_000;

/** A hint, while the picture is dark. */
export function Darkness({ meter }: Equipment) {
  const [dark, setDark] = useState(false);
  useEffect(() => {
    let samples = 0;
    return meter.onLight((brightness) => {
      samples = brightness < DARK.below ? samples + 1 : 0;
      if (samples >= DARK_SAMPLES) setDark(true);
      if (brightness > DARK.above) setDark(false);
    });
  }, [meter]);
  return (
    <div role="status">
      {dark && (
        <p class="chip warm">
          <Icon name="light" />
          {CAMERA.dark}
        </p>
      )}
    </div>
  );
}

/** A bar that moves with the voice, and the same information as text. */
export function LevelMeter({ meter, camera }: Equipment) {
  const bar = useRef<HTMLElement>(null);
  const [heard, setHeard] = useState(false);
  const [loud, setLoud] = useState(false);
  useEffect(() => {
    let quietAgain: ReturnType<typeof setTimeout> | undefined;
    const end = meter.onLevel((level, clipped) => {
      bar.current?.style.setProperty('--level', level.toFixed(2));
      if (level >= HEARD_LEVEL) setHeard(true);
      if (!clipped) return;
      setLoud(true);
      clearTimeout(quietAgain);
      quietAgain = setTimeout(() => setLoud(false), LOUD_FOR_MS);
    });
    return () => {
      clearTimeout(quietAgain);
      end();
    };
  }, [meter]);
  const label = camera.hasSound ? (loud ? CAMERA.loud : heard ? CAMERA.heard : CAMERA.unheard) : CAMERA.noSound;
  return (
    <p class={loud || !camera.hasSound ? 'level warn' : 'level'} role="status">
      <Icon name="voice" />
      <i ref={bar} aria-hidden="true" />
      <span>{label}</span>
    </p>
  );
}
