import type { Session } from '../session.ts';
import { PICK } from '../texts.ts';
import { Icon } from './icons.tsx';
import { Note } from './note.tsx';

/** A video from a file, for whoever cannot record or does not want to again. */
export function PickVideo({ session, quiet }: { session: Session; quiet: boolean }) {
  return (
    <label class={quiet ? 'button quiet' : 'button'}>
      <Icon name="file" />
      {PICK.pick}
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
  );
}

/** Why the file that was picked will not do. */
export function PickNote({ note }: { note: string | null }) {
  return <div role="status">{note !== null && <Note tone="warn">{note}</Note>}</div>;
}
