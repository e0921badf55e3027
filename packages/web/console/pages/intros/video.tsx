import type { ConsoleIntro } from '@foreword/contract';
import { useState } from 'react';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { PhonePreview } from '../../parts/phone-preview.tsx';
import { INTRO } from '../../texts/intros.ts';

type Media = NonNullable<ConsoleIntro['media']>;

/** The video and, on request, the recipient's page. */
export function Video({ media, recipient }: { media: Media; recipient: ConsoleIntro['recipient'] }) {
  const [isPageShown, setPageShown] = useState(false);
  return (
    <section className="intro-watch" aria-label={INTRO.video}>
      {/* biome-ignore lint/a11y/useMediaCaption: captions exist whenever the script could be aligned with the speech. */}
      <video
        key={media.video_url}
        className="intro-video"
        controls
        playsInline
        preload="none"
        src={media.video_url}
        poster={media.poster_url}
        aria-label={INTRO.videoFor(formatName(recipient))}
      >
        {media.captions_url !== null && <track kind="captions" src={media.captions_url} label={INTRO.captions} />}
      </video>
      <Button kind="quiet" icon="eye" aria-expanded={isPageShown} onClick={() => setPageShown(!isPageShown)}>
        {isPageShown ? INTRO.hidePage : INTRO.showPage}
      </Button>
      {isPageShown && (
        <>
          <p className="message-more">{INTRO.pageLead}</p>
          <PhonePreview key={media.video_url} label={INTRO.page} src={media.page_url} />
        </>
      )}
    </section>
  );
}
