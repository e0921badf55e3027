import { nameBrowser } from '../browsers.ts';
import type { Model, Phase } from '../model.ts';
import { Brand } from '../parts/brand.tsx';
import { Icon } from '../parts/icons.tsx';
import { PickNote, PickVideo } from '../parts/pick-video.tsx';
import type { Session } from '../session.ts';
import { TROUBLE } from '../texts.ts';

interface TroubleProps {
  session: Session;
  model: Model;
  trouble: Extract<Phase, { at: 'trouble' }>;
}

/** Trying again helps when somebody can change what is wrong without leaving the page. */
const WORTH_TRYING = ['denied', 'busy', 'none'];

export function TroubleScreen({ session, model, trouble: { kind, note } }: TroubleProps) {
  const { heading, body, steps } = TROUBLE[kind](nameBrowser(navigator.userAgent, navigator.maxTouchPoints));
  const again = WORTH_TRYING.includes(kind);
  return (
    <div class="room">
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
          <button type="button" class="button" onClick={() => void session.openCamera()}>
            <Icon name="again" />
            {TROUBLE.again}
          </button>
        )}
        <PickVideo session={session} quiet={again} />
      </div>
    </div>
  );
}
