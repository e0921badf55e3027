import { useCallback, useEffect, useRef } from 'preact/hooks';
import { CAMERA, COUNTDOWN, RECORDING, START } from '#recorder-texts';
import type { Equipment } from '../equipment.ts';
import type { Model, Phase } from '../model.ts';
import { Darkness, LevelMeter } from '../parts/hints.tsx';
import { Icon } from '../parts/icons.tsx';
import { EarlierChip } from '../parts/other-intros.tsx';
import type { ScreenProps } from '../parts/page.tsx';
import { PaceControl, Prompter, PromptList } from '../parts/prompter.tsx';
import { Countdown, type Elapsed, Ring, sayElapsed, useElapsed } from '../parts/timing.tsx';
import { clock } from '../trim.ts';

type CameraPhase = Extract<Phase, { at: 'camera' | 'countdown' | 'recording' | 'saving' }>;

/** The front camera is mirrored on the screen, not in the recording. The rear camera is never mirrored. */
function Viewfinder({ equipment }: { equipment: Equipment }) {
  const video = useRef<HTMLVideoElement>(null);
  const { camera } = equipment;
  useEffect(() => {
    if (video.current === null) return;
    video.current.srcObject = camera.stream;
    void video.current.play().catch(() => {});
  }, [camera]);
  return (
    <video
      ref={video}
      class={camera.facing === 'user' ? 'viewfinder mirrored' : 'viewfinder'}
      muted
      playsInline
      autoPlay
      tabIndex={-1}
      aria-hidden="true"
    />
  );
}

const Guide = () => (
  <svg class="guide" viewBox="0 0 100 130" aria-hidden="true">
    <ellipse cx="50" cy="65" rx="47" ry="62" />
  </svg>
);

/** The space bar starts and stops the recording, unless the focus is on a control. */
function useSpaceBar(press: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const free = event.target === document.body || event.target === document.documentElement;
      if (event.key !== ' ' || event.repeat || !free) return;
      event.preventDefault();
      press();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [press]);
}

interface ShutterProps {
  phase: CameraPhase;
  model: Model;
  elapsed: Elapsed;
  press: () => void;
}

/** One button in one place for start, skip and stop, so that the thumb and the focus need not move. */
function Shutter({ phase, model, elapsed, press }: ShutterProps) {
  const label = {
    camera: CAMERA.record,
    countdown: COUNTDOWN.skip,
    recording: RECORDING.stop,
    saving: RECORDING.saving,
  };
  return (
    <button type="button" class={`shutter at-${phase.at}`} data-focus aria-label={label[phase.at]} onClick={press}>
      {phase.at === 'recording' && <Ring limits={model.state.limits} longer={elapsed.longer} />}
      <span />
    </button>
  );
}

function Controls({ flow, phase, model, elapsed, press }: ShutterProps & ScreenProps) {
  const idle = phase.at === 'camera';
  const canFlip = idle && phase.equipment.camera.canFlip;
  return (
    <div class="controls">
      {idle && (
        <button type="button" class="round" aria-label={CAMERA.close} onClick={() => flow.toStart()}>
          <Icon name="back" />
        </button>
      )}
      {phase.at === 'countdown' && (
        <button type="button" class="word" onClick={() => flow.cancelCountdown()}>
          {COUNTDOWN.cancel}
        </button>
      )}
      {phase.at === 'recording' && (
        <p class="elapsed" role="timer">
          {clock(elapsed.seconds * 1000)}
        </p>
      )}
      <Shutter phase={phase} model={model} elapsed={elapsed} press={press} />
      {canFlip && (
        <button type="button" class="round end" aria-label={CAMERA.flip} onClick={() => void flow.flip()}>
          <Icon name="flip" />
        </button>
      )}
      {phase.at === 'countdown' && (
        <button type="button" class="word end" onClick={press}>
          {COUNTDOWN.skip}
        </button>
      )}
    </div>
  );
}

function Hints({ phase, elapsed }: { phase: CameraPhase; elapsed: Elapsed }) {
  if (phase.at === 'saving') return <p class="chip">{RECORDING.saving}</p>;
  if (phase.at === 'recording') {
    const text = sayElapsed(elapsed);
    return (
      <div role="status">
        <span class="sr">{text === '' ? RECORDING.began : ''}</span>
        {text !== '' && <p class="chip warm">{text}</p>}
      </div>
    );
  }
  if (phase.at === 'countdown') return null;
  return (
    <>
      <Darkness {...phase.equipment} />
      {phase.note !== null && (
        <p class="chip" role="status">
          {phase.note}
        </p>
      )}
      <LevelMeter {...phase.equipment} />
    </>
  );
}

export function CameraScreen({ recorder, flow, model, phase }: ScreenProps & { phase: CameraPhase }) {
  const { script, script_language: language, recipient } = model.state.intro;
  const recording = phase.at === 'recording';
  const elapsed = useElapsed(recording ? phase.startedAtMs : null, model.state.limits);
  const { at } = phase;
  const press = useCallback(() => {
    if (at === 'camera') void flow.countDown();
    else if (at === 'countdown') flow.record();
    else if (at === 'recording') void flow.stop();
  }, [flow, at]);
  const begin = useCallback(() => flow.record(), [flow]);
  const cancel = useCallback(() => flow.cancelCountdown(), [flow]);
  useSpaceBar(press);
  return (
    <section class={`camera at-${at}`} aria-label={CAMERA.region}>
      <h1 class="sr">{CAMERA.region}</h1>
      <div class="picture">
        {at !== 'saving' && <Viewfinder equipment={phase.equipment} />}
        {at === 'camera' && <Guide />}
        {at === 'countdown' && <Countdown onEnd={begin} onCancel={cancel} />}
      </div>
      <div class="top">
        {script === null ? (
          <PromptList firstName={recipient.first_name} />
        ) : (
          <Prompter
            text={script}
            language={language}
            wordsPerMinute={model.wordsPerMinute}
            equipment={recording ? phase.equipment : null}
            running={recording}
          />
        )}
      </div>
      <div class="bottom">
        <div class="hints">
          {at === 'camera' && recorder.view.earlier.length > 0 && (
            <>
              <p class="chip">{START.heading(recipient.first_name)}</p>
              <EarlierChip recorder={recorder} />
            </>
          )}
          <Hints phase={phase} elapsed={elapsed} />
        </div>
        {script !== null && (at === 'camera' || at === 'countdown') && (
          <PaceControl wordsPerMinute={model.wordsPerMinute} onStep={(step) => flow.changePace(step)} />
        )}
        <Controls recorder={recorder} flow={flow} phase={phase} model={model} elapsed={elapsed} press={press} />
      </div>
    </section>
  );
}
