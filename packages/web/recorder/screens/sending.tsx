import { SENDING } from '#recorder-texts';
import type { Model } from '../model.ts';
import { Icon } from '../parts/icons.tsx';
import { NextIntro } from '../parts/next-intro.tsx';
import { Brand, Note } from '../parts/page.tsx';
import { percentSent, WaitingForSignal } from '../parts/upload-bar.tsx';
import type { Recorder } from '../recorder.ts';

type StepName = keyof typeof SENDING.steps;
const STEPS: StepName[] = ['sending', 'checking', 'processing'];

function currentStep({ phase, state: { recording } }: Model): StepName {
  if (phase.at === 'sending') return 'sending';
  return recording?.status === 'processing' ? 'processing' : 'checking';
}

function percentOf(step: StepName, { upload, state: { recording } }: Model): number | null {
  if (step === 'sending') return upload === null ? null : percentSent(upload);
  return step === 'processing' ? (recording?.progress ?? 0) : null;
}

function Step({ name, percent, place }: { name: StepName; percent: number | null; place: 'over' | 'now' | 'later' }) {
  return (
    <li class={`step ${place}`} aria-current={place === 'now' ? 'step' : undefined}>
      <span class="mark">{place === 'over' && <Icon name="check" />}</span>
      <span class="step-name">
        {SENDING.steps[name]}
        {place === 'over' && <span class="sr">: {SENDING.done}</span>}
      </span>
      {place === 'now' && percent !== null && <span class="percent">{SENDING.percent(percent)}</span>}
      {place === 'now' && <progress max={100} value={percent ?? undefined} aria-label={SENDING.steps[name]} />}
    </li>
  );
}

function Advice({ model: { phase, upload, online, durable } }: { model: Model }) {
  if (phase.at === 'processing') {
    return online ? (
      <p class="body">{SENDING.leave}</p>
    ) : (
      <Note icon="signal" tone="warn">
        {SENDING.offline}
      </Note>
    );
  }
  if (upload?.state === 'waiting_for_signal') return <WaitingForSignal upload={upload} durable={durable} />;
  return <p class="body">{SENDING.keep}</p>;
}

export function SendingScreen({ recorder, model }: { recorder: Recorder; model: Model }) {
  const now = currentStep(model);
  const at = STEPS.indexOf(now);
  return (
    <div class="page">
      <Brand organization={model.state.organization} />
      <div class="lead">
        <h1 tabIndex={-1}>{now === 'sending' ? SENDING.heading : SENDING.processingHeading}</h1>
        <div role="status">
          <span class="sr">{SENDING.steps[now]}</span>
          <Advice model={model} />
        </div>
      </div>
      <ol class="progress-steps">
        {STEPS.map((name, index) => (
          <Step
            key={name}
            name={name}
            percent={percentOf(name, model)}
            place={index < at ? 'over' : index === at ? 'now' : 'later'}
          />
        ))}
      </ol>
      <NextIntro recorder={recorder} />
    </div>
  );
}
