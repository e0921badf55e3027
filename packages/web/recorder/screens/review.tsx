import { FINDINGS, REVIEW } from '#recorder-texts';
import type { Take } from '../engine/index.ts';
import type { RecordingFlow } from '../flow.ts';
import type { Model } from '../model.ts';
import { Icon } from '../parts/icons.tsx';
import { Note } from '../parts/page.tsx';
import { Playback, usePlayer } from '../parts/playback.tsx';
import { Trimmer } from '../parts/trimmer.tsx';
import { UploadBar } from '../parts/upload-bar.tsx';
import { canTrim, keptPart } from '../trim.ts';

const ICONS = {
  silent: 'voice',
  quiet: 'voice',
  clipping: 'voice',
  dark: 'light',
  cut_off: 'note',
  too_short: 'note',
} as const;

export function ReviewScreen({ flow, model, take }: { flow: RecordingFlow; model: Model; take: Take }) {
  const { upload, state, durable } = model;
  const kept = keptPart(take);
  const player = usePlayer(kept, take.trim !== null);
  return (
    <div class="review">
      <div class="review-picture">
        <Playback key={take.id} take={take} kept={kept} player={player} />
      </div>
      <div class="review-side">
        <h1 tabIndex={-1}>{REVIEW.heading}</h1>
        {take.findings.map((finding) => (
          <Note key={finding} icon={ICONS[finding]} tone="warn">
            {FINDINGS[finding]}
          </Note>
        ))}
        {canTrim(take) && (
          <Trimmer
            take={take}
            kept={kept}
            limitS={state.limits.soft_s}
            player={player}
            onTrim={(trim) => flow.trim(trim)}
          />
        )}
        <UploadBar upload={upload} durable={durable} />
        <div class="pair">
          <button type="button" class="button quiet" onClick={() => void flow.retake()}>
            <Icon name="again" />
            {REVIEW.retake}
          </button>
          <button type="button" class="button" onClick={() => void flow.send()}>
            {REVIEW.send(state.intro.recipient.first_name)}
          </button>
        </div>
      </div>
    </div>
  );
}
