export const BRAND = {
  lead: 'How recipients see your organization in text messages and on video pages.',

  preview: 'Preview',

  nameHint: 'The name your customers know. It appears in every text message.',
  logoHint:
    'A PNG, JPEG, or SVG up to 10 MB. Shown at up to 180 × 40 pixels, always on a light background. Saved as soon as you choose it.',
  removeLogoBody: 'Every page shows your name instead, including pages that were already sent.',

  colorLead: 'For buttons and links. If it would be hard to read, pages use the nearest readable shade.',
  accent: 'Your color',
  accentHint: 'A hex code such as #b4451f.',

  officePhoneHint: 'Recipients call it when a member has no number, or to check that a video is really from you.',

  repliesLead:
    'Buttons on the page that recipients can tap after the video. The member is notified, and the reply appears on the overview and in the intro’s timeline. Recipients whose language differs from your organization’s see the default labels in their language.',
  replyLabels: {
    confirm: 'Confirms the appointment',
    reschedule: 'Asks for another time',
    thanks: 'Without an appointment',
    question: 'Asks a question',
  },

  languageHint:
    'For the recorder, emails to your team, and recipients without a language of their own. Applies to new intros.',
  timezone: 'Time zone',
  timezoneHint: 'For dates on pages and for the daily numbers in the overview.',
} as const;
