import { PICK, PROBLEMS, UNABLE } from '#recorder-texts';
import type { RecordingFlow } from '../flow.ts';
import { Icon } from './icons.tsx';
import { Note } from './page.tsx';

/** Chooses a video file, for members who cannot or do not want to record here. */
export const PickVideo = ({ flow, quiet }: { flow: RecordingFlow; quiet: boolean }) => (
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
        if (file !== undefined) void flow.pick(file);
      }}
    />
  </label>
);

/** Why the chosen file cannot be used. */
export const PickNote = ({ note }: { note: string | null }) => (
  <div role="status">{note !== null && <Note tone="warn">{note}</Note>}</div>
);

/** Opens the same link on the phone. */
export const PhoneCode = ({ api }: { api: string }) => (
  <figure class="phone-code">
    <img src={`${api}/qr.svg`} alt="" width={200} height={200} />
    <figcaption>{PROBLEMS.scan}</figcaption>
  </figure>
);

/** Leads to declining the intro or handing it over. */
export function UnableLink({ flow }: { flow: RecordingFlow }) {
  if (!flow.mayDecline) return null;
  return (
    <button type="button" class="text-link" onClick={() => flow.showUnable('choose')}>
      {UNABLE.link}
    </button>
  );
}
