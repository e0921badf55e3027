/** Folder: the screens of the recorder. */

import type { RecorderState } from '@foreword/contract';
import { isolated } from '@foreword/contract/plain';
import { NOT_KEPT, OFFLINE, PROMPTS, START } from '#recorder-texts';
import { formatAppointment, sayHowSoon } from '../appointment.ts';
import type { RecordingFlow } from '../flow.ts';
import type { Model } from '../model.ts';
import { Consent } from '../parts/consent.tsx';
import { Icon } from '../parts/icons.tsx';
import { Leftover } from '../parts/leftover.tsx';
import { Brand, Note } from '../parts/page.tsx';
import { UnableLink } from '../parts/unable-link.tsx';
import { countWords, fitsInTime, SCRIPT_FIT_SECONDS, secondsToSay } from '../script.ts';

function fullName({ first_name, last_name }: RecorderState['intro']['recipient']): string {
  return isolated(last_name === null ? first_name : `${first_name} ${last_name}`);
}

function Appointment({ starts_at, timezone }: NonNullable<RecorderState['intro']['appointment']>) {
  const { day, time } = formatAppointment(starts_at, timezone);
  return (
    <p class="when">
      <Icon name="calendar" />
      <span>
        {START.day(day)}
        <em>{START.when(time, sayHowSoon(starts_at, timezone))}</em>
      </span>
    </p>
  );
}

function Lead({ intro }: { intro: RecorderState['intro'] }) {
  const why = intro.touchpoint ?? intro.title;
  return (
    <div class="lead">
      {why !== null && <p class="why">{why}</p>}
      <h1 tabIndex={-1}>{START.heading(fullName(intro.recipient))}</h1>
      {intro.appointment !== null && <Appointment {...intro.appointment} />}
    </div>
  );
}

function Words({ model: { state, wordsPerMinute } }: { model: Model }) {
  const { script, script_language: language, recipient } = state.intro;
  if (script === null) {
    return (
      <section class="script" aria-labelledby="words">
        <div class="script-head">
          <h2 id="words">{START.promptsTitle}</h2>
          <span>{START.promptsLength(state.limits.soft_s)}</span>
        </div>
        <ol>
          {PROMPTS(recipient.first_name).map((prompt) => (
            <li key={prompt}>{prompt}</li>
          ))}
        </ol>
      </section>
    );
  }
  const words = countWords(script);
  return (
    <>
      <section class="script" aria-labelledby="words">
        <div class="script-head">
          <h2 id="words">{START.scriptTitle}</h2>
          <span>{START.scriptLength(words, Math.round(secondsToSay(words, wordsPerMinute)))}</span>
        </div>
        <p lang={language}>{script}</p>
      </section>
      {!fitsInTime(words, wordsPerMinute) && <p class="reason">{START.scriptLong(SCRIPT_FIT_SECONDS)}</p>}
    </>
  );
}

export function StartScreen({ flow, model }: { flow: RecordingFlow; model: Model }) {
  const { state, leftover, phase, online, durable } = model;
  const opening = phase.at === 'opening';
  const start = leftover === null ? START.start : START.startAgain;
  return (
    <div class="page">
      <Brand organization={state.organization} />
      <Lead intro={state.intro} />
      <Leftover flow={flow} model={model} />
      {!online && (
        <Note icon="signal" tone="warn">
          {durable ? OFFLINE.kept : OFFLINE.notKept}
        </Note>
      )}
      {!durable && <Note tone="warn">{NOT_KEPT}</Note>}
      <Words model={model} />
      <div class="actions">
        <button
          type="button"
          class={leftover === null ? 'button' : 'button quiet'}
          aria-disabled={opening}
          onClick={() => {
            if (!opening) void flow.openCamera();
          }}
        >
          <Icon name="camera" />
          {opening ? START.opening : start}
        </button>
        <p class="reason">{START.reason(state.intro.recipient.first_name)}</p>
        <Consent {...state.consent} />
        <UnableLink flow={flow} />
      </div>
    </div>
  );
}
