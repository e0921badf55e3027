import { DEFAULT_LANGUAGE } from '@foreword/contract/plain';
import { DONE, REFUSED } from '#recorder-texts';
import { wallClockMs } from '../engine/clock.ts';
import { type Outcome, outcomeOf } from '../outcome.ts';
import { Button } from '../parts/button.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { NextIntro } from '../parts/other-intros.tsx';
import { Brand, type ScreenProps } from '../parts/page.tsx';
import { SendAnyway, ShareLink } from '../parts/share.tsx';
import { Leftover } from '../parts/upload.tsx';
import { SHARE_TEXTS } from '../texts/share.ts';

const SEALS: Record<Outcome['tone'], IconName> = { good: 'done', waiting: 'clock', calm: 'note', bad: 'note' };

export function DoneScreen({ recorder, flow, model }: ScreenProps) {
  const { phase, state } = model;
  const { intro, member, organization } = state;
  const { first_name: firstName, language = DEFAULT_LANGUAGE } = intro.recipient;
  const { heading, body, tone, offersLink, offersText, isFinal = false } = outcomeOf(state, wallClockMs());
  return (
    <div class="done">
      <div class="done-words">
        <Brand organization={organization} />
        <div class="lead" role="status">
          <span class={`seal ${tone}`}>
            <Icon name={SEALS[tone]} />
          </span>
          <h1 tabIndex={-1}>{heading}</h1>
          <p class="body">{body}</p>
          {phase.at === 'done' && phase.isLate && <p class="body">{DONE.late(firstName)}</p>}
        </div>
        <Leftover flow={flow} model={model} />
        {offersText && <SendAnyway api={flow.api} />}
        {offersLink && intro.recipient_url !== null && (
          <ShareLink url={intro.recipient_url} text={SHARE_TEXTS[language](member.first_name, organization.name)} />
        )}
        <NextIntro recorder={recorder} />
        {intro.status !== 'sent' && !isFinal && (
          <Button kind="plain" icon="again" label={REFUSED.again} onClick={() => flow.toStart()} />
        )}
      </div>
      <figure>
        <div class="phone">
          <iframe src={`${flow.api}/preview`} title={DONE.preview(firstName)} loading="lazy" />
        </div>
        <figcaption>
          {DONE.preview(firstName)}. {DONE.previewNote}
        </figcaption>
      </figure>
    </div>
  );
}
