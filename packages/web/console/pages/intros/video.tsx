import type { ConsoleIntro } from '@foreword/contract';
import { useState } from 'react';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { PhonePreview } from '../../parts/phone-preview.tsx';
import { INTRO } from '../../texts/intros.ts';

/** The video and, on request, the recipient's page. */
export function Video({ intro }: { intro: ConsoleIntro }) {
  const [isPageShown, setPageShown] = useState(false);
  const { media, recorded_at } = intro;
  const name = INTRO.videoFor(formatName(intro.recipient));
  if (media === null) {
    return (
      <Card title={INTRO.video}>
        <p className="message-more">
          {recorded_at === null ? `${INTRO.noVideo}. ${INTRO.noVideoLead}` : INTRO.videoGone}
        </p>
      </Card>
    );
  }
  return (
    <>
      <Card title={INTRO.video}>
        {/* biome-ignore lint/a11y/useMediaCaption: captions exist whenever the script could be aligned with the speech. */}
        <video
          key={media.video_url}
          className="intro-video"
          controls
          playsInline
          preload="none"
          src={media.video_url}
          poster={media.poster_url}
          aria-label={name}
        >
          {media.captions_url !== null && <track kind="captions" src={media.captions_url} label={INTRO.captions} />}
        </video>
      </Card>
      <Card title={INTRO.page} lead={INTRO.pageLead}>
        {isPageShown && <PhonePreview key={media.video_url} label={INTRO.page} src={media.page_url} />}
        <Button kind="quiet" icon="eye" aria-expanded={isPageShown} onClick={() => setPageShown(!isPageShown)}>
          {isPageShown ? INTRO.hidePage : INTRO.showPage}
        </Button>
      </Card>
    </>
  );
}
