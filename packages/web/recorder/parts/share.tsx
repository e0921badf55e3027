import { useState } from 'preact/hooks';
import { DONE } from '#recorder-texts';
import { requestText } from '../engine/requests.ts';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';

const FEEDBACK_MS = 2_500;

/** The link to the recipient's page, to copy or to share. `text` is part of the shared message. */
export function ShareLink({ url, text }: { url: string; text: string }) {
  const [feedback, setFeedback] = useState('');
  const show = (said: string) => {
    setFeedback(said);
    setTimeout(() => setFeedback(''), FEEDBACK_MS);
  };
  const copy = async () => {
    try {
      // Without HTTPS, the browser has no clipboard.
      await navigator.clipboard.writeText(url);
      show(DONE.copied);
    } catch {
      show(DONE.copyFailed);
    }
  };
  // Closing the share sheet without sharing is not an error.
  const share = () => void navigator.share({ text, url }).catch(() => {});
  return (
    <section class="link" aria-labelledby="link">
      <h2 id="link">{DONE.linkTitle}</h2>
      <p class="address">{url.replace(/^https?:\/\//, '')}</p>
      <div class="pair">
        <Button
          kind="quiet"
          icon={feedback === DONE.copied ? 'check' : 'copy'}
          label={feedback === '' ? DONE.copy : feedback}
          onClick={() => void copy()}
        />
        {'share' in navigator && <Button kind="quiet" icon="share" label={DONE.share} onClick={share} />}
      </div>
      <p class="sr" role="status">
        {feedback}
      </p>
    </section>
  );
}

/** For a text that is not sent automatically because the appointment has started. */
export function SendAnyway({ api }: { api: string }) {
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    if (isBusy) return;
    setBusy(true);
    const reason = await requestText(api);
    if (reason === null) return location.reload();
    setBusy(false);
    setProblem(reason === '' ? DONE.sendFailed : reason);
  };
  return (
    <>
      <button type="button" class="button" aria-disabled={isBusy} onClick={() => void send()}>
        {DONE.sendAnyway}
        <Icon name="send" />
      </button>
      <p role="status">{problem}</p>
    </>
  );
}
