import type { Model } from '../model.ts';
import { Brand } from '../parts/brand.tsx';
import { Icon } from '../parts/icons.tsx';
import { Note } from '../parts/note.tsx';
import type { Session } from '../session.ts';
import { REFUSED } from '../texts.ts';

export function RefusedScreen({ session, model, message }: { session: Session; model: Model; message: string }) {
  return (
    <div class="room">
      <Brand organization={model.state.organization} />
      <div class="lead">
        <h1 tabIndex={-1}>{REFUSED.heading}</h1>
        <p class="body">{message === '' ? REFUSED.fallback : message}</p>
      </div>
      {model.state.intro.status === 'ready' && <Note>{REFUSED.earlier}</Note>}
      <div class="actions">
        <button type="button" class="button" onClick={() => void session.openCamera()}>
          <Icon name="again" />
          {REFUSED.again}
        </button>
      </div>
    </div>
  );
}
