import { useCallback, useEffect, useRef } from 'preact/hooks';
import type { Equipment } from '../equipment.ts';
import type { Model, Phase } from '../model.ts';
import { Countdown } from '../parts/countdown.tsx';
import { LevelMeter, useDarkness } from '../parts/hints.tsx';
import { Icon } from '../parts/icons.tsx';
import { PaceControl } from '../parts/pace-control.tsx';
import { Prompter, PromptList } from '../parts/prompter.tsx';
import { type Elapsed, Ring, sayElapsed, useElapsed } from '../parts/ring.tsx';
import type { Session } from '../session.ts';
import { CAMERA, COUNTDOWN, RECORDING } from '../texts.ts';

type CameraPhase = Extract<Phase, { at: 'camera' | 'countdown' | 'recording' | 'saving' }>;

/** Mirrored, as in a mirror; what is recorded is not. The camera that looks away from us is shown as it is. */
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

function Guide() {
  return (
    <svg class="guide" viewBox="0 0 100 130" aria-hidden="true">
      <ellipse cx="50" cy="65" rx="47" ry="62" />
    </svg>
  );
}

/** The space bar starts and stops, wherever the focus is, except on a control that it would press. */
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

/** One button in one place for start, skip and stop: the thumb and the focus stay where they are. */
function Shutter({ phase, model, elapsed, press }: ShutterProps) {
  const label = {
    camera: CAMERA.record,
    countdown: COUNTDOWN.skip,
    recording: RECORDING.stop,
    saving: RECORDING.saving,
  };
  return (
    <button type="button" class={`shutter at-${phase.at}`} data-focus aria-label={label[phase.at]} onClick={press}>
      {phase.at === 'recording' && (
        <Ring startedAtMs={phase.startedAtMs} limits={model.state.limits} longer={elapsed.longer} />
      )}
      <span />
    </button>
  );
}

function Controls({ session, phase, model, elapsed, press }: ShutterProps & { session: Session }) {
  const idle = phase.at === 'camera';
  const canFlip = idle && phase.equipment.camera.canFlip;
  return (
    <div class="controls">
      {idle && (
        <button type="button" class="round" aria-label={CAMERA.close} onClick={() => session.toRoom()}>
          <Icon name="back" />
        </button>
      )}
      {phase.at === 'countdown' && (
        <button type="button" class="word" onClick={() => session.cancelCountdown()}>
          {COUNTDOWN.cancel}
        </button>
      )}
      {phase.at === 'recording' && (
        <p class="elapsed" role="timer">
          {RECORDING.elapsed(elapsed.seconds)}
        </p>
      )}
      <Shutter phase={phase} model={model} elapsed={elapsed} press={press} />
      {canFlip && (
        <button type="button" class="round end" aria-label={CAMERA.flip} onClick={() => void session.flip()}>
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
    const words = sayElapsed(elapsed);
    return (
      <div role="status">
        <span class="sr">{words === '' ? RECORDING.began : ''}</span>
        {words !== '' && <p class="chip warm">{words}</p>}
      </div>
    );
  }
  if (phase.at === 'countdown') return null;
  return (
    <>
      <Darkness equipment={phase.equipment} />
      {phase.note !== null && (
        <p class="chip" role="status">
          {phase.note}
        </p>
      )}
      <LevelMeter {...phase.equipment} />
    </>
  );
}

function Darkness({ equipment }: { equipment: Equipment }) {
  const dark = useDarkness(equipment);
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

export function CameraScreen({ session, model, phase }: { session: Session; model: Model; phase: CameraPhase }) {
  const { script, recipient } = model.state.intro;
  const recording = phase.at === 'recording';
  const elapsed = useElapsed(recording ? phase.startedAtMs : null, model.state.limits);
  const { at } = phase;
  const press = useCallback(() => {
    if (at === 'camera') void session.countDown();
    else if (at === 'countdown') void session.record();
    else if (at === 'recording') void session.stop();
  }, [session, at]);
  const begin = useCallback(() => void session.record(), [session]);
  const cancel = useCallback(() => session.cancelCountdown(), [session]);
  useSpaceBar(press);
  return (
    <section class={`camera at-${at}`} aria-label={CAMERA.region}>
      <h1 class="sr">{CAMERA.region}</h1>
      <div class="stage">
        {at !== 'saving' && <Viewfinder equipment={phase.equipment} />}
        {at === 'camera' && <Guide />}
        {at === 'countdown' && <Countdown onEnd={begin} onCancel={cancel} />}
      </div>
      <div class="top">
        {script === null ? (
          <PromptList firstName={recipient.first_name} />
        ) : (
          <Prompter text={script} wordsPerMinute={model.wordsPerMinute} running={recording} />
        )}
      </div>
      <div class="bottom">
        <div class="hints">
          <Hints phase={phase} elapsed={elapsed} />
        </div>
        {script !== null && at !== 'saving' && (
          <PaceControl wordsPerMinute={model.wordsPerMinute} onStep={(step) => session.changePace(step)} />
        )}
        <Controls session={session} phase={phase} model={model} elapsed={elapsed} press={press} />
      </div>
    </section>
  );
}
