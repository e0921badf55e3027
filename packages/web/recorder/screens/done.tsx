import type { RecorderState } from '@foreword/contract';
import { useState } from 'preact/hooks';
import { nowMs, sayWhen } from '../appointment.ts';
import type { RecordingFlow } from '../flow.ts';
import type { Model } from '../model.ts';
import { Icon } from '../parts/icons.tsx';
import { Leftover } from '../parts/leftover.tsx';
import { Brand } from '../parts/page.tsx';
import { DONE } from '../texts.ts';

const FEEDBACK_MS = 2_500;
const OPTED_OUT = 'recipient_opted_out';

function Link({ url, firstName }: { url: string; firstName: string }) {
  const [feedback, setFeedback] = useState('');
  const show = (text: string) => {
    setFeedback(text);
    setTimeout(() => setFeedback(''), FEEDBACK_MS);
  };
  const copy = () =>
    navigator.clipboard.writeText(url).then(
      () => show(DONE.copied),
      () => show(DONE.copyFailed),
    );
  // Closing the share sheet without sharing is not an error.
  const share = () => void navigator.share({ title: DONE.shareTitle(firstName), url }).catch(() => {});
  return (
    <section class="link" aria-labelledby="link">
      <h2 id="link">{DONE.linkTitle}</h2>
      <p class="address">{url.replace(/^https?:\/\//, '')}</p>
      <div class="pair">
        <button type="button" class="button quiet" onClick={() => void copy()}>
          <Icon name={feedback === DONE.copied ? 'check' : 'copy'} />
          {feedback === '' ? DONE.copy : feedback}
        </button>
        {'share' in navigator && (
          <button type="button" class="button quiet" onClick={share}>
            <Icon name="share" />
            {DONE.share}
          </button>
        )}
      </div>
      <p class="sr" role="status">
        {feedback}
      </p>
    </section>
  );
}

/** Says when and how the recipient gets the link, while the video is not sent yet. */
function sayNext({ intro, organization }: RecorderState): string {
  const { text, delivery, recipient } = intro;
  const { first_name: firstName } = recipient;
  if (delivery === 'integration') return DONE.integration(organization.name, firstName);
  if (text?.due_at) return DONE.serviceLater(firstName, sayWhen(text.due_at, text.timezone, nowMs()));
  if (!text?.problem) return DONE.service(firstName);
  const { code, message } = text.problem;
  return code === OPTED_OUT ? message : DONE.notSent(message, firstName);
}

/** Whether the member may send the link themselves, because the service does not. */
function offersLink({ delivery, text }: RecorderState['intro']): boolean {
  return delivery === 'integration' || (text?.problem ? text.problem.code !== OPTED_OUT : false);
}

export function DoneScreen({ flow, model }: { flow: RecordingFlow; model: Model }) {
  const { intro, organization } = model.state;
  const firstName = intro.recipient.first_name;
  const sent = intro.status === 'sent';
  const next = sayNext(model.state);
  const { api } = document.documentElement.dataset;
  return (
    <div class="done">
      <div class="done-words">
        <Brand organization={organization} />
        <div class="lead" role="status">
          <span class="seal">
            <Icon name="check" />
          </span>
          <h1 tabIndex={-1}>{sent ? DONE.sentHeading : DONE.heading}</h1>
          <p class="body">{sent ? DONE.sent(firstName) : next}</p>
        </div>
        <Leftover flow={flow} model={model} />
        {offersLink(intro) && intro.recipient_url !== null && <Link url={intro.recipient_url} firstName={firstName} />}
        {!sent && (
          <button type="button" class="button plain" onClick={() => flow.toStart()}>
            <Icon name="again" />
            {DONE.again}
          </button>
        )}
      </div>
      <figure>
        <div class="phone">
          <iframe src={`${api}/preview`} title={DONE.preview(firstName)} loading="lazy" />
        </div>
        <figcaption>
          {DONE.preview(firstName)}. {DONE.previewNote}
        </figcaption>
      </figure>
    </div>
  );
}
