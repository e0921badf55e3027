import { SENDING } from '#recorder-texts';
import type { Model } from '../model.ts';
import { NextIntro } from '../parts/other-intros.tsx';
import { Note, Page, type ScreenProps } from '../parts/page.tsx';
import { percentSent, sayOffline, Waiting } from '../parts/upload.tsx';

interface Progress {
  step: keyof typeof SENDING.steps;
  percent: number | null;
}

function progressOf({ phase, upload, state: { recording } }: Model): Progress {
  if (phase.at === 'sending') return { step: 'sending', percent: upload && percentSent(upload) };
  if (recording?.status === 'processing') return { step: 'processing', percent: recording.progress };
  return { step: 'checking', percent: null };
}

function Advice({ model }: { model: Model }) {
  const { phase, upload, online } = model;
  if (phase.at === 'processing') {
    return online ? (
      <p class="body">{SENDING.leave}</p>
    ) : (
      <Note icon="signal" tone="warn">
        {`${sayOffline(model)} ${SENDING.offline}`}
      </Note>
    );
  }
  if (upload?.state === 'waiting_for_signal') return <Waiting model={model} />;
  return <p class="body">{SENDING.keep}</p>;
}

export function SendingScreen({ recorder, model }: ScreenProps) {
  const { step, percent } = progressOf(model);
  const name = SENDING.steps[step];
  const lead = (
    <div role="status">
      <span class="sr">{name}</span>
      <Advice model={model} />
    </div>
  );
  return (
    <Page model={model} heading={step === 'sending' ? SENDING.heading : SENDING.processingHeading} lead={lead}>
      <div>
        <progress max={100} value={percent ?? undefined} aria-label={name} />
        <p class="small">{percent === null ? name : `${name} ${SENDING.percent(percent)}`}</p>
      </div>
      <NextIntro recorder={recorder} />
    </Page>
  );
}
