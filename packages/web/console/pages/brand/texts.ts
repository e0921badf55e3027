export const BRAND = {
  lead: 'How recipients see your organization in text messages and on video pages.',

  views: 'View',
  edit: 'Edit',
  preview: 'Preview',

  identity: 'Name and logo',
  name: 'Name',
  nameMissing: 'Enter a name.',
  nameHint: 'The name your customers know. It appears in every text message.',
  logo: 'Logo',
  logoHint:
    'A PNG, JPEG, or SVG up to 10 MB. Shown at up to 180 × 40 pixels, always on a light background. Saved as soon as you choose it.',
  noLogo: 'No logo. Pages show your name instead.',
  logoAlt: 'Your logo',
  removeLogo: 'Remove',
  logoSaved: 'Logo saved',
  logoRemoved: 'Logo removed',
  removeLogoTitle: 'Remove the logo?',
  removeLogoBody: 'Every page shows your name instead, including pages that were already sent.',
  removeLogoAction: 'Remove logo',

  color: 'Color',
  colorLead: 'For buttons and links. If it would be hard to read, pages use the nearest readable shade.',
  accent: 'Your color',
  accentHint: 'A hex code such as #b4451f.',
  pickColor: 'Pick a color',
  defaultColor: 'Use default green',
  light: 'Light',
  dark: 'Dark',

  contact: 'Contact',
  officePhone: 'Office phone',
  officePhoneHint: 'Recipients call it when a member has no number, or to check that a video is really from you.',
  license: 'License number',
  licenseHint: 'Shown in small print on the page, if the law requires it.',
  website: 'Website',
  websiteHint: 'Shown as a link on the page. Starts with https://',

  replies: 'Replies',
  repliesLead:
    'Buttons on the page that recipients can tap after the video. The member is notified, and the reply appears on the overview and in the intro’s timeline. Recipients whose language differs from your organization’s see the default labels in their language.',
  changeLabels: 'Change the labels',
  replyLabels: {
    confirm: 'Confirms the appointment',
    reschedule: 'Asks for another time',
    thanks: 'Without an appointment',
    question: 'Asks a question',
  },

  times: 'Language and time zone',
  language: 'Language',
  languageHint:
    'For the recorder, emails to your team, and recipients without a language of their own. Applies to new intros.',
  timezone: 'Time zone',
  timezoneHint: 'For dates on pages and for the daily numbers in the overview.',
  timezoneSearch: 'Search for a city',
  timezonePlaceholder: 'Choose a time zone',

  saved: 'Brand saved',
  conflictTitle: 'Someone else changed the brand',

  previewTitle: 'Recipient preview',
  page: 'Page',
  text: 'Text message',
  scheme: 'Color scheme',
  pageLabel: "The recipient's page with sample data",
  textLabel: 'The text message with sample data',
  previewInvalid: 'Fix the errors in the form to update the preview.',
  previewFailed: 'The preview didn’t load.',
  sample: 'Sarah and Jane are sample names.',
} as const;
