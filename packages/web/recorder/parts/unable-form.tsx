import { UNABLE } from '#recorder-texts';
import type { RecordingFlow } from '../flow.ts';
import type { Model, Phase } from '../model.ts';
import { Note } from './page.tsx';

export interface UnableProps {
  flow: RecordingFlow;
  model: Model;
  unable: Extract<Phase, { at: 'unable' }>;
}

interface FormActionsProps {
  flow: RecordingFlow;
  note: string | null;
  busy: boolean;
  label: string;
}

/** The button that sends the form, with the problem next to it. */
export function FormActions({ flow, note, busy, label }: FormActionsProps) {
  return (
    <div class="actions">
      <div role="alert">{note !== null && <Note tone="bad">{note}</Note>}</div>
      <div class="pair">
        <button type="button" class="button quiet" onClick={() => flow.showUnable('choose')}>
          {UNABLE.back}
        </button>
        <button type="submit" class="button" aria-disabled={busy}>
          {busy ? UNABLE.sending : label}
        </button>
      </div>
    </div>
  );
}
