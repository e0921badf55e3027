import { PROBLEMS } from '#recorder-texts';
import { nameBrowser } from '../browsers.ts';
import type { RecordingFlow } from '../flow.ts';
import type { Model, Phase } from '../model.ts';
import { Icon } from '../parts/icons.tsx';
import { Brand } from '../parts/page.tsx';
import { PickNote, PickVideo } from '../parts/pick-video.tsx';
import { UnableLink } from '../parts/unable-link.tsx';

interface ProblemProps {
  flow: RecordingFlow;
  model: Model;
  problem: Extract<Phase, { at: 'problem' }>;
}

/** Problems the member can fix without leaving the page. */
const RETRYABLE = ['denied', 'busy', 'none'];

export function ProblemScreen({ flow, model, problem: { kind, note } }: ProblemProps) {
  const { heading, body, steps } = PROBLEMS[kind](nameBrowser(navigator.userAgent, navigator.maxTouchPoints));
  const again = RETRYABLE.includes(kind);
  return (
    <div class="page">
      <Brand organization={model.state.organization} />
      <div class="lead">
        <h1 tabIndex={-1}>{heading}</h1>
        <p class="body">{body}</p>
      </div>
      {steps.length > 0 && (
        <ol class="steps">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      <PickNote note={note} />
      <div class="actions">
        {again && (
          <button type="button" class="button" onClick={() => void flow.openCamera()}>
            <Icon name="again" />
            {PROBLEMS.again}
          </button>
        )}
        <PickVideo flow={flow} quiet={again} />
        <UnableLink flow={flow} />
      </div>
    </div>
  );
}
