/** Folder: the screens of the recorder. */

import type { RecorderState } from '@foreword/contract';
import { countWords, fitsInTime, SCRIPT_FIT_SECONDS, secondsToSay } from '@foreword/contract/plain';
import { useState } from 'preact/hooks';
import { CONSENT, NOT_KEPT, OFFLINE, OTHER_LANGUAGE, PROMPTS, REFUSED, START } from '#recorder-texts';
import { formatAppointment, sayHowSoon } from '../appointment.ts';
import { fullNameOf, type Model } from '../model.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icons.tsx';
import { UnableLink } from '../parts/other-ways.tsx';
import { Brand, Note, type ScreenProps } from '../parts/page.tsx';
import { Leftover, sayOffline } from '../parts/upload.tsx';

function Appointment({ starts_at, timezone }: NonNullable<RecorderState['intro']['appointment']>) {
  const { day, time } = formatAppointment(starts_at, timezone);
  return (
    <p class="when">
      <Icon name="calendar" />
      <span>
        {START.day(day)}
        <em class="small">{START.when(time, sayHowSoon(starts_at, timezone))}</em>
      </span>
    </p>
  );
}

function Lead({ intro }: { intro: RecorderState['intro'] }) {
  const why = intro.touchpoint ?? intro.title;
  return (
    <div class="lead">
      {why !== null && <p class="why">{why}</p>}
      <h1 tabIndex={-1}>{START.heading(fullNameOf(intro.recipient))}</h1>
      {intro.appointment !== null && <Appointment {...intro.appointment} />}
    </div>
  );
}

function Words({ model: { state, wordsPerMinute } }: { model: Model }) {
  const { script, script_language: language, recipient } = state.intro;
  const words = countWords(script ?? '');
  const length =
    script === null
      ? START.promptsLength(state.limits.soft_s)
      : START.scriptLength(words, Math.round(secondsToSay(words, wordsPerMinute)));
  return (
    <>
      <section class="script" aria-labelledby="words">
        <div class="script-head small">
          <h2 id="words">{script === null ? START.promptsTitle : START.scriptTitle}</h2>
          <span>{length}</span>
        </div>
        {script === null ? (
          <ol>
            {PROMPTS(recipient.first_name).map((prompt) => (
              <li key={prompt}>{prompt}</li>
            ))}
          </ol>
        ) : (
          <p lang={language}>{script}</p>
        )}
      </section>
      {!fitsInTime(words, wordsPerMinute) && <p class="small">{START.scriptLong(SCRIPT_FIT_SECONDS)}</p>}
    </>
  );
}

/** The consent that recording gives. One sentence is always visible, and the full text opens below it. */
const Consent = ({ language, short, paragraphs, settings }: RecorderState['consent']) => (
  <details class="consent small" lang={language}>
    <summary>
      {short} <span class="consent-more">{CONSENT.more}</span>
    </summary>
    {paragraphs.map((paragraph) => (
      <p key={paragraph}>{paragraph}</p>
    ))}
    <p>
      <a href={settings} target="_blank" rel="noreferrer">
        {CONSENT.settings}
      </a>
    </p>
  </details>
);

export function StartScreen({ flow, model }: ScreenProps) {
  const { state, leftover, phase, online, durable } = model;
  const [isUnreachable, setUnreachable] = useState(false);
  const opening = phase.at === 'opening';
  const start = leftover === null ? START.start : REFUSED.again;
  return (
    <div class="page">
      <Brand organization={state.organization}>
        <button
          type="button"
          class="text-link"
          onClick={() => void flow.switchLanguage().then((isStored) => setUnreachable(!isStored))}
        >
          {OTHER_LANGUAGE}
        </button>
      </Brand>
      {isUnreachable && (
        <div role="alert">
          <Note icon="signal" tone="warn">
            {REFUSED.offline}
          </Note>
        </div>
      )}
      <Lead intro={state.intro} />
      <Leftover flow={flow} model={model} />
      {!online && (
        <Note icon="signal" tone="warn">
          {`${sayOffline(model)} ${durable ? OFFLINE.kept : OFFLINE.notKept}`}
        </Note>
      )}
      {!durable && <Note tone="warn">{NOT_KEPT}</Note>}
      <Words model={model} />
      <div class="actions">
        <Button
          kind={leftover === null ? 'main' : 'quiet'}
          icon="camera"
          label={opening ? START.opening : start}
          aria-disabled={opening}
          onClick={() => {
            if (!opening) void flow.openCamera();
          }}
        />
        <p class="small">{START.reason(state.intro.recipient.first_name)}</p>
        <Consent {...state.consent} />
        <UnableLink flow={flow} />
      </div>
    </div>
  );
}
