import { ALLOWING, PROBLEMS, REFUSED } from '#recorder-texts';
import { nameBrowser } from '../browsers.ts';
import type { Phase } from '../model.ts';
import { Button } from '../parts/button.tsx';
import { PhoneCode, PickNote, PickVideo, UnableLink } from '../parts/other-ways.tsx';
import { Note, Page, type ScreenProps } from '../parts/page.tsx';
import { Leftover } from '../parts/upload.tsx';

/** Problems the member can fix without leaving the page. */
const RETRYABLE = ['denied', 'busy', 'none'];

/** The camera cannot be used. */
export function ProblemScreen({ flow, model, problem }: ScreenProps & { problem: Extract<Phase, { at: 'problem' }> }) {
  const { kind, note } = problem;
  const { heading, body } = PROBLEMS[kind];
  const again = RETRYABLE.includes(kind);
  const hasTake = model.leftover !== null;
  return (
    <Page model={model} heading={heading} lead={body}>
      {kind === 'denied' && (
        <ol class="steps">
          {ALLOWING[nameBrowser(navigator.userAgent, navigator.maxTouchPoints)].map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      {kind === 'none' && matchMedia('(pointer: fine)').matches && <PhoneCode api={flow.api} />}
      <Leftover flow={flow} model={model} />
      <PickNote note={note} />
      <div class="actions">
        {again && (
          <Button
            kind={hasTake ? 'quiet' : 'main'}
            icon="again"
            label={PROBLEMS.again}
            onClick={() => void flow.openCamera()}
          />
        )}
        <PickVideo flow={flow} quiet={again || hasTake} />
        <UnableLink flow={flow} />
      </div>
    </Page>
  );
}

/** The take cannot be used, or not be uploaded. */
export function RefusedScreen({ flow, model, refused }: ScreenProps & { refused: Extract<Phase, { at: 'refused' }> }) {
  const { message, note } = refused;
  const { recording, intro } = model.state;
  const canRetry = recording?.status === 'refused' && recording.retryable && recording.message === message;
  return (
    <Page model={model} heading={REFUSED.heading} lead={message === '' ? REFUSED.fallback : message}>
      {intro.status === 'ready' && <Note>{REFUSED.earlier}</Note>}
      <Leftover flow={flow} model={model} />
      <PickNote note={note} />
      <div class="actions">
        {canRetry && <Button label={PROBLEMS.again} onClick={() => void flow.retry()} />}
        <Button
          kind={model.leftover === null && !canRetry ? 'main' : 'quiet'}
          icon="again"
          label={REFUSED.again}
          onClick={() => void flow.openCamera()}
        />
        <PickVideo flow={flow} quiet />
      </div>
    </Page>
  );
}
