import { PACE, secondsToSay } from '@foreword/contract/plain';
import { useCallback, useEffect, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Field, useControl } from '../../parts/field.tsx';
import { SETTINGS } from '../../texts/settings.ts';
import type { SettingsDraft } from './draft.ts';

const WORDS = SETTINGS.sample.split(' ').map((word, at) => ({ word, at }));
const MINUTE_MS = 60_000;

const classOf = (at: number, current: number): string | undefined => {
  if (at === current) return 'pace-now';
  return at < current ? 'pace-said' : undefined;
};

/** Highlights the sample word by word at this pace. */
function Sample({ pace, running, onEnd }: { pace: number; running: boolean; onEnd: () => void }) {
  const [current, setCurrent] = useState(-1);
  useEffect(() => {
    setCurrent(running ? 0 : -1);
    if (!running) return;
    const startMs = performance.now();
    const timer = setInterval(
      () => {
        const word = Math.floor(((performance.now() - startMs) / MINUTE_MS) * pace);
        if (word >= WORDS.length) onEnd();
        else setCurrent(word);
      },
      MINUTE_MS / PACE.fastest / 4,
    );
    return () => clearInterval(timer);
  }, [running, pace, onEnd]);
  return (
    <p className={running ? 'pace-sample pace-running' : 'pace-sample'}>
      {WORDS.map(({ word, at }) => (
        <span key={at} className={classOf(at, current)}>{`${word} `}</span>
      ))}
    </p>
  );
}

interface SliderProps {
  value: number;
  onChange: (value: number) => void;
}

const Slider = ({ value, onChange }: SliderProps) => {
  const { 'aria-required': _required, ...control } = useControl();
  return (
    <input
      {...control}
      className="pace-slider"
      type="range"
      min={PACE.slowest}
      max={PACE.fastest}
      step={PACE.step}
      value={value}
      aria-valuetext={SETTINGS.paceValue(value)}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
    />
  );
};

export function Pace({ draft }: { draft: SettingsDraft }) {
  const pace = draft.fields.words_per_minute;
  const [running, setRunning] = useState(false);
  const end = useCallback(() => setRunning(false), []);
  return (
    <Card title={SETTINGS.paceTitle} lead={SETTINGS.paceLead}>
      <Field label={SETTINGS.pace} hint={SETTINGS.sampleTakes(Math.round(secondsToSay(WORDS.length, pace)))}>
        <div className="pace">
          <Slider value={pace} onChange={(words_per_minute) => draft.change({ words_per_minute })} />
          <output className="pace-value">{pace}</output>
        </div>
      </Field>
      <Sample pace={pace} running={running} onEnd={end} />
      <div className="form-actions">
        <Button kind="quiet" icon={running ? 'close' : 'play'} onClick={() => setRunning(!running)}>
          {running ? SETTINGS.stop : SETTINGS.try}
        </Button>
      </div>
    </Card>
  );
}
