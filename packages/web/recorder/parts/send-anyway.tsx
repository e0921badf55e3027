import { useState } from 'preact/hooks';
import { DONE } from '#recorder-texts';
import { Icon } from './icons.tsx';

const ANSWER_PATIENCE_MS = 15_000;

/** Null: the text will be sent. Otherwise why not. */
async function requestText(api: string): Promise<string | null> {
  try {
    const response = await fetch(`${api}/send`, { method: 'POST', signal: AbortSignal.timeout(ANSWER_PATIENCE_MS) });
    if (response.status === 204) return null;
    const { error } = (await response.json()) as { error?: { message?: string } };
    return error?.message ?? DONE.sendFailed;
  } catch {
    return DONE.sendFailed;
  }
}

/** For a text that is not sent automatically because the appointment has started. */
export function SendAnyway({ api }: { api: string }) {
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    const reason = await requestText(api);
    if (reason === null) return location.reload();
    setBusy(false);
    setProblem(reason);
  };
  return (
    <>
      <button type="button" class="button" disabled={isBusy} onClick={() => void send()}>
        {DONE.sendAnyway}
        <Icon name="send" />
      </button>
      <p role="status">{problem}</p>
    </>
  );
}
