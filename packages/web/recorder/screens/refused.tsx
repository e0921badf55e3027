import { REFUSED } from '#recorder-texts';
import type { RecordingFlow } from '../flow.ts';
import type { Model, Phase } from '../model.ts';
import { Icon } from '../parts/icons.tsx';
import { Leftover } from '../parts/leftover.tsx';
import { Brand, Note } from '../parts/page.tsx';
import { PickNote, PickVideo } from '../parts/pick-video.tsx';

interface RefusedProps {
  flow: RecordingFlow;
  model: Model;
  refused: Extract<Phase, { at: 'refused' }>;
}

export function RefusedScreen({ flow, model, refused: { message, note } }: RefusedProps) {
  const { recording } = model.state;
  const canRetry = recording?.status === 'refused' && recording.retryable && recording.message === message;
  return (
    <div class="page">
      <Brand organization={model.state.organization} />
      <div class="lead">
        <h1 tabIndex={-1}>{REFUSED.heading}</h1>
        <p class="body">{message === '' ? REFUSED.fallback : message}</p>
      </div>
      {model.state.intro.status === 'ready' && <Note>{REFUSED.earlier}</Note>}
      <Leftover flow={flow} model={model} />
      <PickNote note={note} />
      <div class="actions">
        {canRetry && (
          <button type="button" class="button" onClick={() => void flow.retry()}>
            {REFUSED.retry}
          </button>
        )}
        <button
          type="button"
          class={model.leftover === null && !canRetry ? 'button' : 'button quiet'}
          onClick={() => void flow.openCamera()}
        >
          <Icon name="again" />
          {REFUSED.again}
        </button>
        <PickVideo flow={flow} quiet />
      </div>
    </div>
  );
}
