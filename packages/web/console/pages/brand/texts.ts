import { formatList } from '../../format.ts';

const FIELD_NAMES = {
  name: 'name',
  accent: 'color',
  office_phone: 'office phone',
  license: 'license number',
  website: 'website',
  reply_confirm: 'reply that confirms',
  reply_reschedule: 'reply for another time',
  reply_thanks: 'reply without an appointment',
  reply_question: 'reply with a question',
  timezone: 'time zone',
  language: 'language',
  texts_from: 'start of texting hours',
  texts_until: 'end of texting hours',
  logo_url: 'logo',
} as const;

type Field = keyof typeof FIELD_NAMES;

export const BRAND = {
  title: 'Brand',
  lead: 'How recipients see your organization in text messages and on video pages.',

  views: 'View',
  edit: 'Edit',
  preview: 'Preview',

  identity: 'Name and logo',
  name: 'Name',
  nameHint: 'The name your customers know. It appears in every text message.',
  logo: 'Logo',
  logoHint:
    'A PNG, JPEG, or SVG up to 10 MB. Shown at up to 180 × 40 pixels, always on a light background. Saved as soon as you choose it.',
  noLogo: 'No logo. Pages show your name instead.',
  logoAlt: 'Your logo',
  chooseLogo: 'Choose a logo',
  replaceLogo: 'Replace',
  removeLogo: 'Remove',
  logoTooLarge: 'This file is larger than 10 MB. Choose a smaller one.',
  logoUnreadable: 'This file couldn’t be read. Choose it again.',
  logoConflict: 'Someone else changed the brand, so the logo was not changed. Try again.',
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
  onLight: 'In light mode',
  onDark: 'In dark mode',
  sampleButton: 'Play the video',
  sampleLink: 'Call the office',
  asChosen: 'Your color is used unchanged.',
  buttonDiffers: (shade: string) => `Buttons use ${shade}, because your color would not stand out here.`,
  textDiffers: (shade: string) => `Links use ${shade} so that they are readable.`,
  contrast: (ratio: number) => `Contrast of the button label: ${ratio.toFixed(1)} to 1 (at least 4.5 is readable).`,

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
  replyLabels: {
    confirm: 'Confirms the appointment',
    reschedule: 'Asks for another time',
    thanks: 'Without an appointment',
    question: 'Asks a question',
  },

  times: 'Language, time zone, and texting hours',
  language: 'Language',
  languageHint:
    'For the recorder, emails to your team, and recipients without a language of their own. Applies to new intros.',
  timezone: 'Time zone',
  timezoneHint: 'For dates on pages and for the daily numbers in the overview.',
  timezoneSearch: 'Search for a city',
  timezonePlaceholder: 'Choose a time zone',
  textsFrom: 'Send texts from',
  textsUntil: 'Send texts until',
  textsHint:
    'In the recipient’s local time. Texts due outside these hours are sent when the hours begin. For US numbers, the hours of their state’s law apply as well.',
  midnight: 'Midnight',
  outsideLaw: 'US numbers are still texted only from 8 AM to 9 PM, or within the stricter hours of their state.',
  anyHour: 'Texts are sent at any hour, day or night. In the US, that can be illegal.',

  saved: 'Brand saved',
  conflictTitle: 'Someone else changed the brand',
  othersChanged: (fields: readonly Field[]) =>
    fields.length === 0
      ? 'Your changes are not saved yet. Save again.'
      : `They changed: ${formatList(fields.map((field) => FIELD_NAMES[field]))}. The form now includes their changes. Save again to save yours.`,
  fieldLabel: (field: Field) => FIELD_NAMES[field].charAt(0).toUpperCase() + FIELD_NAMES[field].slice(1),
  notSet: 'not set',

  previewTitle: 'Recipient preview',
  previewOf: 'Preview',
  page: 'Page',
  text: 'Text message',
  scheme: 'Color scheme',
  pageLabel: "The recipient's page with sample data",
  textLabel: 'The text message with sample data',
  previewFailed: 'Fix the errors in the form to update the preview.',
  sample: 'Sarah and Jane are sample names.',
} as const;
