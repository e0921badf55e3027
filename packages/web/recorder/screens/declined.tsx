import { UNABLE } from '#recorder-texts';
import type { RecordingFlow } from '../flow.ts';
import type { Model } from '../model.ts';
import { Icon } from '../parts/icons.tsx';
import { NextIntro } from '../parts/next-intro.tsx';
import { Brand } from '../parts/page.tsx';
import type { Recorder } from '../recorder.ts';

interface DeclinedProps {
  recorder: Recorder;
  flow: RecordingFlow;
  model: Model;
}

/** The member declined, and may change their mind until someone else records the intro. */
export function DeclinedScreen({ recorder, flow, model }: DeclinedProps) {
  return (
    <div class="page">
      <Brand organization={model.state.organization} />
      <div class="lead" role="status">
        <h1 tabIndex={-1}>{UNABLE.declinedHeading}</h1>
        <p class="body">{UNABLE.declinedBody}</p>
      </div>
      <NextIntro recorder={recorder} />
      <div class="actions">
        <button type="button" class="button plain" onClick={() => flow.recordAnyway()}>
          <Icon name="camera" />
          {UNABLE.recordAnyway}
        </button>
      </div>
    </div>
  );
}
