import type { RecorderState } from '@foreword/contract';
import { CONSENT } from '#recorder-texts';

type ConsentText = RecorderState['consent'];

/** The consent that recording gives. One sentence is always visible, and the full text opens below it. */
export const Consent = ({ language, short, paragraphs, settings }: ConsentText) => (
  <details class="consent" lang={language}>
    <summary>
      {short} <span class="consent-more">{CONSENT.more}</span>
    </summary>
    {paragraphs.map((paragraph) => (
      <p key={paragraph}>{paragraph}</p>
    ))}
    <p>
      <a href={settings} target="_blank" rel="noreferrer">
        {CONSENT.settings}
      </a>
    </p>
  </details>
);
