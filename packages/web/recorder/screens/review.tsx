import { FINDINGS, REVIEW } from '#recorder-texts';
import { captionsOf } from '../captions.ts';
import type { Take } from '../engine/types.ts';
import { Button } from '../parts/button.tsx';
import { Captions } from '../parts/captions.tsx';
import { Note, type ScreenProps } from '../parts/page.tsx';
import { Playback, usePlayer } from '../parts/playback.tsx';
import { Trimmer } from '../parts/trimmer.tsx';
import { UploadBar } from '../parts/upload.tsx';
import { canTrim, keptPart } from '../trim.ts';

export function ReviewScreen({ flow, model, take }: ScreenProps & { take: Take }) {
  const { intro, limits } = model.state;
  const kept = keptPart(take);
  const player = usePlayer(kept, take.trim !== null);
  return (
    <div class="review">
      <div class="review-picture">
        <Playback key={take.id} take={take} kept={kept} player={player} />
      </div>
      <div class="review-side">
        <h1 tabIndex={-1}>{REVIEW.heading}</h1>
        {!take.complete && <Note tone="warn">{REVIEW.interrupted}</Note>}
        {take.findings.map((finding) => (
          <Note key={finding} tone="warn">
            {FINDINGS[finding]}
          </Note>
        ))}
        {canTrim(take) && (
          <Trimmer
            take={take}
            kept={kept}
            limitS={limits.soft_s}
            player={player}
            onTrim={(trim) => flow.edit({ trim })}
          />
        )}
        <Captions
          script={intro.script}
          language={intro.script_language}
          captions={captionsOf(take, intro.script)}
          onChange={(captions) => flow.edit({ captions })}
        />
        <UploadBar model={model} />
        <div class="pair">
          <Button kind="quiet" icon="again" label={REVIEW.retake} onClick={() => void flow.retake()} />
          <Button label={REVIEW.send(intro.recipient.first_name)} onClick={() => void flow.send()} />
        </div>
      </div>
    </div>
  );
}
