import { nameBrowser } from '../browsers.ts';
import type { Model, Phase } from '../model.ts';
import { Brand } from '../parts/brand.tsx';
import { Icon } from '../parts/icons.tsx';
import { Note } from '../parts/note.tsx';
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
      <div role="status">{note !== null && <Note tone="warn">{note}</Note>}</div>
      <div class="actions">
        {again && (
          <button type="button" class="button" onClick={() => void session.openCamera()}>
            <Icon name="again" />
            {TROUBLE.again}
          </button>
        )}
        <label class={again ? 'button quiet' : 'button'}>
          <Icon name="file" />
          {TROUBLE.pick}
          <input
            class="sr"
            type="file"
            accept="video/*"
            onChange={({ currentTarget }) => {
              const file = currentTarget.files?.[0];
              currentTarget.value = '';
              if (file !== undefined) void session.pick(file);
            }}
          />
        </label>
      </div>
    </div>
  );
}
