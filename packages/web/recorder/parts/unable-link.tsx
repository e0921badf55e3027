import { UNABLE } from '#recorder-texts';
import type { RecordingFlow } from '../flow.ts';

/** Leads to declining the intro or handing it over. */
export function UnableLink({ flow }: { flow: RecordingFlow }) {
  if (!flow.mayDecline) return null;
  return (
    <button type="button" class="unable-link" onClick={() => flow.showUnable('choose')}>
      {UNABLE.link}
    </button>
  );
}
