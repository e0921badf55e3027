import type { Model, Phase } from '../model.ts';
import { Brand } from '../parts/brand.tsx';
import { Icon } from '../parts/icons.tsx';
import { Leftover } from '../parts/leftover.tsx';
import { Note } from '../parts/note.tsx';
import { PickNote, PickVideo } from '../parts/pick-video.tsx';
import type { Session } from '../session.ts';
import { REFUSED } from '../texts.ts';

interface RefusedProps {
  session: Session;
  model: Model;
  refused: Extract<Phase, { at: 'refused' }>;
}

export function RefusedScreen({ session, model, refused: { message, note } }: RefusedProps) {
  return (
    <div class="room">
      <Brand organization={model.state.organization} />
      <div class="lead">
        <h1 tabIndex={-1}>{REFUSED.heading}</h1>
        <p class="body">{message === '' ? REFUSED.fallback : message}</p>
      </div>
      {model.state.intro.status === 'ready' && <Note>{REFUSED.earlier}</Note>}
      <Leftover session={session} model={model} />
      <PickNote note={note} />
      <div class="actions">
        <button
          type="button"
          class={model.leftover === null ? 'button' : 'button quiet'}
          onClick={() => void session.openCamera()}
        >
          <Icon name="again" />
          {REFUSED.again}
        </button>
        <PickVideo session={session} quiet />
      </div>
    </div>
  );
}
