import { sentence } from '@foreword/contract';

/** Every text on the recipient's page, and on the pages for closed and unknown links. */
export const EN = {
  title: (firstName: string) => sentence`A few words from ${firstName}`,
  forWhom: (firstName: string) => sentence`For ${firstName}`,
  description: (name: string, organization: string) => sentence`A short video from ${name} at ${organization}.`,
  play: (length: string) => `Play the video, ${length}`,
  videoOf: (name: string) => sentence`Video from ${name}`,
  noVideo: 'The video did not load. Check your connection and try again.',
  captions: 'Captions',
  replay: 'Replay',
  role: (title: string, organization: string) => sentence`your ${title} at ${organization}`,
  roleless: (organization: string) => sentence`at ${organization}`,
  photo: (name: string) => sentence`Photo of ${name}`,

  appointment: 'Your appointment',
  when: (day: string, time: string) => `${day} at ${time}`,
  addToCalendar: 'Add to calendar',
  calendarFile: 'Apple',
  google: 'Google',
  outlook: 'Outlook',
  eventName: (name: string, organization: string) => sentence`${name}, ${organization}`,
  eventNotes: (phone: string) => `Questions? Call ${phone}.`,

  call: (firstName: string) => sentence`Call ${firstName}`,
  text: (firstName: string) => sentence`Text ${firstName}`,
  callOffice: 'Call the office',
  textOffice: 'Text the office',

  saveContact: (firstName: string) => sentence`Save ${firstName}’s contact`,

  replyTo: (firstName: string) => sentence`Reply to ${firstName}`,
  yourQuestion: (firstName: string) => sentence`Your question for ${firstName}`,
  sendQuestion: 'Send question',
  whenSuits: 'When would suit you? (optional)',
  sendReply: 'Send',
  replySent: (firstName: string) => sentence`Sent to ${firstName}`,
  yourReply: (label: string) => `“${label}”`,
  changeReply: 'Change your reply',
  replyProblemTitle: 'Your reply was not sent',
  noQuestion: 'Write your question, then send it again.',
  longQuestion: 'Your question is too long. Shorten it to 500 characters, then send it again.',
  longNote: 'Your reply is too long. Shorten it to 200 characters, then send it again.',
  tooManyRepliesTitle: 'Please call instead',
  tooManyReplies: (organization: string) =>
    sentence`You have replied many times today. The last reply was not sent. Please call ${organization}.`,
  backToVideo: 'Back to the video',

  isItReally: (organization: string) => sentence`Is this really from ${organization}?`,
  checkIntro: (name: string, organization: string) =>
    sentence`${name} recorded this video for you on behalf of ${organization}.`,
  checkByPhone: (firstName: string) =>
    sentence`To be sure, call the office and ask for ${firstName}. You can use the number on your contract or invoice instead of the one below.`,
  checkWithout: (firstName: string) =>
    sentence`To be sure, call the office at the number on your contract or invoice and ask for ${firstName}.`,
  office: 'Office',
  license: 'License',
  website: 'Website',
  madeOn: 'Link created',
  sentBy: 'Sent with',
  sentByForeword: (organization: string) => sentence`Foreword, on behalf of ${organization}`,
  /** Names the preview inside another page, which has a main part of its own. */
  preview: 'Preview of the recipient’s page',
  footer: (organization: string) => sentence`Made for you by ${organization} with Foreword.`,

  optOut: (organization: string) => sentence`Stop texts from ${organization}`,
  optedOutTitle: 'No more text messages',
  optedOut: (organization: string) =>
    sentence`${organization} can no longer text you through Foreword. To hear from them again, reply START to any of their texts.`,

  undo: 'Undo',
  stopped: (organization: string) => sentence`You get no more texts from ${organization}.`,
  restart: 'To hear from them again, reply START to any of their texts.',
  allowedTitle: 'You will get text messages again',
  allowed: (organization: string) => sentence`${organization} can text you as before.`,

  cardTitle: (organization: string) => sentence`${organization} is here for you`,
  left: (firstName: string, organization: string) =>
    sentence`${firstName} no longer works at ${organization}, so this video is no longer available. The office is happy to help.`,
  leftWithout: (firstName: string, organization: string) =>
    sentence`${firstName} no longer works at ${organization}, so this video is no longer available. For help, call the number on your contract or invoice.`,
  takenDown: (organization: string) =>
    sentence`${organization} took this video down. If you have a question, the office is happy to help.`,
  takenDownWithout: (organization: string) =>
    sentence`${organization} took this video down. If you have a question, call the number on your contract or invoice.`,
  withdrawn: 'This video is no longer available. If you have a question, the office is happy to help.',
  withdrawnWithout:
    'This video is no longer available. If you have a question, call the number on your contract or invoice.',
  cardDescription: (organization: string) => sentence`How to reach ${organization}.`,

  closedTitle: 'This page has closed',
  recipientCancelled: (organization: string) =>
    sentence`${organization} took this page down, perhaps because plans changed. The office can tell you more.`,
  recipientExpired: (organization: string) =>
    sentence`Video pages close after a while. If you have a question, ${organization} is happy to help.`,
  recordNext: (firstName: string) => sentence`Record for ${firstName}`,
  memberCancelledTitle: 'No need to record this one',
  memberCancelled: 'The request was cancelled. Anything you recorded for it will not be shown to anyone.',
  memberWithdrawnTitle: 'Nothing can be recorded here',
  memberWithdrawn:
    'The consent to use your videos was withdrawn, so your videos and their pages were removed. To record again, sign in to the console and give your consent under Settings.',
  memberExpiredTitle: 'This request has expired',
  memberExpired: 'This link no longer works. If the video is still needed, ask your office for a new link.',

  reassignedTitle: (member: string) => sentence`${member} records this one now`,
  reassigned: 'There is nothing left for you to do.',

  linkExpiredTitle: 'This link has expired',
  linkExpired: 'It was valid for only a few minutes. Go back to the app where you found it and open it again there.',

  unknownTitle: 'Page not found',
  unknown: 'Check the link. Part of it may be missing.',
  tooManyTitle: 'Please wait a moment',
  tooMany: 'Too many invalid links were opened from your network. Try again in a minute.',
  unavailableTitle: 'One moment, please',
  unavailable: 'This page can’t load right now. It reloads automatically in a few seconds.',
} as const;
