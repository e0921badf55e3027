/** Every word that a recipient or a closed link shows. */
export const TEXTS = {
  title: (firstName: string) => `A few words from ${firstName}`,
  forWhom: (firstName: string) => `For ${firstName}`,
  description: (name: string, organization: string) => `A short video from ${name} at ${organization}.`,
  play: (length: string) => `Play the video, ${length}`,
  videoOf: (name: string) => `Video from ${name}`,
  noVideo: 'The video did not load. Check your connection, then press play again.',
  captions: 'Captions',
  role: (title: string, organization: string) => `your ${title} at ${organization}`,
  roleless: (organization: string) => `at ${organization}`,
  portrait: (name: string) => `Photo of ${name}`,

  appointment: 'Your appointment',
  when: (day: string, time: string) => `${day} at ${time}`,
  addToCalendar: 'Add to calendar',
  calendarFile: 'Apple',
  google: 'Google',
  outlook: 'Outlook',
  eventName: (name: string, organization: string) => `${name}, ${organization}`,
  eventNotes: (phone: string) => `Questions? Call ${phone}.`,

  call: (firstName: string) => `Call ${firstName}`,
  text: (firstName: string) => `Text ${firstName}`,
  callOffice: 'Call the office',
  textOffice: 'Text the office',

  isItReally: (organization: string) => `Is this really from ${organization}?`,
  checkIntro: (name: string, organization: string) =>
    `${name} recorded this video for you on behalf of ${organization}.`,
  checkByPhone: (firstName: string) =>
    `To be sure, call the office and ask for ${firstName}. Take the number from your contract or an earlier letter if you would rather not use this one.`,
  checkWithout: (firstName: string) =>
    `To be sure, call the office with the number from your contract or an earlier letter, and ask for ${firstName}.`,
  office: 'Office',
  license: 'License',
  madeOn: 'Link made on',
  sentBy: 'Sent with',
  sentByForeword: (organization: string) => `Foreword, which keeps this page for ${organization}`,
  /** Where the page stands in another one, which has a main part of its own. */
  preview: "The recipient's page",
  footer: (organization: string) => `Made for you by ${organization}, with Foreword.`,

  optOut: (organization: string) => `Get no more text messages from ${organization}`,
  optedOutTitle: 'No more text messages',
  optedOut: (organization: string) =>
    `${organization} sends you no more text messages through Foreword. To hear from them again, reply START to one of them.`,

  leftTitle: (organization: string) => `${organization} is here for you`,
  left: (firstName: string, organization: string) =>
    `${firstName} no longer works at ${organization}, so the video is not shown any more. The office is glad to help with whatever it was about.`,
  leftWithout: (firstName: string, organization: string) =>
    `${firstName} no longer works at ${organization}, so the video is not shown any more. The number on your contract or an earlier letter leads to somebody who is glad to help.`,
  leftDescription: (organization: string) => `How to reach ${organization}.`,

  closedTitle: 'This page has closed',
  recipientCancelled: (organization: string) =>
    `${organization} has taken this page down, perhaps because plans have changed. The office can tell you more.`,
  recipientExpired: (organization: string) =>
    `Pages like this one stay for a while and then close. If you have a question, ${organization} is glad to help.`,
  memberCancelledTitle: 'No need to record this one',
  memberCancelled:
    'It was cancelled, so there is nothing left for you to do. What you may have recorded is not shown to anyone.',
  memberExpiredTitle: 'The time to record has passed',
  memberExpired: 'This link has closed. If the video is still wanted, ask your office for a new one.',

  unknownTitle: 'There is nothing here',
  unknown: 'Please check the link: it may not have been copied in full.',
  tooManyTitle: 'Please wait a moment',
  tooMany: 'Too many links that lead nowhere came from your network. Try again in a minute.',
} as const;
