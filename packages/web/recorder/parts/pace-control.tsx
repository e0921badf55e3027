import { PACE } from '../script.ts';
import { CAMERA } from '../texts.ts';
import { Icon } from './icons.tsx';

interface PaceProps {
  wordsPerMinute: number;
  onStep(step: number): void;
}

export function PaceControl({ wordsPerMinute, onStep }: PaceProps) {
  return (
    <fieldset class="pace">
      <legend class="sr">{CAMERA.paceTitle}</legend>
      <button
        type="button"
        aria-label={CAMERA.slower}
        disabled={wordsPerMinute <= PACE.slowest}
        onClick={() => onStep(-PACE.step)}
      >
        <Icon name="minus" />
      </button>
      <output>
        <strong>{wordsPerMinute}</strong> {CAMERA.paceUnit}
      </output>
      <button
        type="button"
        aria-label={CAMERA.faster}
        disabled={wordsPerMinute >= PACE.fastest}
        onClick={() => onStep(PACE.step)}
      >
        <Icon name="plus" />
      </button>
    </fieldset>
  );
}
