import { isolated, sentence } from '@foreword/contract';

/** Texts in response to a text. Members read most of them. */
export const INBOUND_EN = {
  declined: (recipient: string) =>
    `OK, you declined the video for ${isolated(recipient)}. Your team decides what happens next. Changed your mind? Record it with your link.`,
  handedOver: (recipient: string, colleague: string) =>
    `Done. ${isolated(colleague)} records the video for ${isolated(recipient)} now, and your link no longer works.`,
  nothingToRecord: 'You have no video to record, so nothing was changed.',
  recorded: (recipient: string) =>
    `The video for ${isolated(recipient)} is already recorded or being uploaded, so nothing was changed.`,
  notYours: (recipient: string) =>
    `The video for ${isolated(recipient)} is no longer yours to record, so nothing was changed.`,
  tooMany: 'You made many changes in a short time. Ask an owner or a manager to make this one.',
  noColleague: (name: string) =>
    `No colleague is called ${isolated(name)}, so nothing was changed. Check the name, or open your link to choose from a list.`,
  severalColleagues: (names: string, command: string) =>
    `Several colleagues have this name: ${names}. Reply with the full name, such as ${command}.`,
  handOverCommand: (number: number | null, name: string) =>
    `GIVE ${number === null ? '' : `${number} `}${isolated(name)}`,

  /** With one video to record. */
  unclear: (recipient: string) =>
    `We didn't understand that. Reply NO to decline the video for ${isolated(recipient)}, or GIVE and a colleague's first name to hand it over. To record, open your link.`,
  noReader: 'No one reads texts to this number. Please contact your customer directly.',
  videos: 'Nothing was changed yet. Videos to record:',
  conversations: 'Nothing was sent yet. Who is it for?',
  either: 'Nothing was sent or changed yet. What is it about?',
  reply: (recipient: string) => `${isolated(recipient)} (reply)`,
  video: (recipient: string) => `${isolated(recipient)} (to record)`,
  unlisted: (count: number) => `${count} more: open their links.`,
  chooseVideo: (number: number) => `Reply NO ${number} to decline, or GIVE ${number} and a first name to hand it over.`,
  chooseRecipient: (number: number) => `Reply ANSWER ${number} and your words.`,

  answered: (recipient: string) => `Your answer is on its way to ${isolated(recipient)}.`,
  answeredLater: (recipient: string, at: string) => `${isolated(recipient)} will get your answer at ${at}.`,
  answerTooLong: (length: number, most: number) =>
    `Not sent: your answer has ${length} characters. Please shorten it to ${most}.`,
  answerWithMedia: 'Not sent: pictures and files cannot be passed on. Please send words only.',
  answerOptedOut: (recipient: string) => `Not sent: ${isolated(recipient)} opted out of texts. Please call instead.`,
  answerClosed: (recipient: string) =>
    `Not sent: the page for ${isolated(recipient)} no longer shows the video. Please call instead.`,

  ask: (organization: string) => `Reply STOP to end texts from ${organization}`,
  askFromUs: 'Reply STOP to end texts from us',

  attachment: '[attachment]',
  unknownCompany:
    "We can't tell which company your text is for, so no one got it. Please reply on the page with your video, or call the company.",
} as const;

/** The weekly summary: the email, and the page that turns it off. Numbers and dates are already formatted. */
export const SUMMARY_EN = {
  subject: (organization: string, days: string) => `${organization}: your week, ${days}`,
  lead: (organization: string, days: string) => `Here’s how the intros of ${organization} did from ${days}.`,
  figures: { sent: 'Sent', watched: 'Watched to the end', answered: 'Answered', waiting: 'Waiting to be recorded' },
  same: 'as many as the week before',
  more: (amount: string) => `${amount} more than the week before`,
  fewer: (amount: string) => `${amount} fewer than the week before`,
  longest: 'Waiting the longest',
  waiting: (member: string, since: string) => `for ${isolated(member)} to record, since ${since}`,
  button: 'Open the overview',
  why: 'Owners get this email on Mondays.',
  off: 'Turn it off',
  page: {
    confirmTitle: 'Turn off the weekly summary?',
    confirm: (organization: string) => `You’ll no longer get the email about the week of ${organization} on Mondays.`,
    button: 'Turn it off',
    offTitle: 'The weekly summary is off',
    off: 'You can turn it on again in your settings.',
    settings: 'Open your settings',
    unknownTitle: 'This link doesn’t work',
    unknown: 'Open the link in the newest summary, or turn the summary off in your settings.',
  },
} as const;

/** Every text message and email to recipients, members and owners. */
export const EN = {
  greeting: (firstName: string) => sentence`Hi ${firstName},`,

  defaultText:
    'Hi {{ recipient.first_name | truncate: 40 }}, {{ member.first_name | truncate: 40 }} from {{ organization.name }} ' +
    // Without the weekday: the appointment may be today, or in two weeks.
    'has a short personal video for you{% if appointment %}, before you meet{% endif %}.',
  saveNumber: 'Save this number so that our texts reach you.',
  optOut: 'Reply STOP to opt out.',

  request: (occasion: string) => `Please record a short video for ${occasion}`,
  reminder: (occasion: string) => `Reminder: please record your video for ${occasion}`,
  appointmentOf: (recipient: string) => `${isolated(recipient)}'s appointment`,
  withoutDeadline: (request: string) => `${request}.`,
  withDeadline: (request: string, deadline: string) => `${request} by ${deadline}.`,
  withAppointment: (request: string, at: string) => `${request} on ${at}.`,
  /** Only if the text has room for it. */
  declineHint: "Can't? Reply NO.",
  requestSubject: (recipient: string) => `Record a video for ${recipient}`,
  reminderSubject: (recipient: string) => `Reminder: record your video for ${recipient}`,
  requestLength: 'It takes about 15 seconds, right in your browser.',
  recordButton: 'Record video',

  /** The first message to a new member, and the intro that it asks for. */
  practice: {
    text: (firstName: string, organization: string) =>
      `Welcome, ${isolated(firstName)}! You'll record short videos for customers of ${isolated(organization)}. Try it: no customer gets this one.`,
    subject: 'Record a practice video',
    lastName: '(practice)',
    script: (recipient: string, firstName: string, organization: string) =>
      `Hi ${recipient}, this is ${firstName} with ${organization}. I'm looking forward to meeting you. See you soon!`,
  },

  /** `said` ends with a punctuation mark. */
  replyText: (recipient: string, said: string) => `${isolated(recipient)} replied to your video: ${said}`,
  textReply: (recipient: string, said: string) => `${isolated(recipient)} replied by text: ${said}`,
  theirNumber: (phone: string) => `Their number: ${phone}.`,
  /** In place of the number. */
  answerHere: 'Reply to this text to answer.',
  replySubject: (recipient: string, label: string) => `${recipient} replied: ${label}`,
  textReplySubject: (recipient: string) => `${recipient} replied by text`,
  replied: (recipient: string, label: string) => `${isolated(recipient)} replied to your video: “${isolated(label)}”`,
  textReplied: (recipient: string) => `${isolated(recipient)} replied by text:`,
  replyContact: (firstName: string, phone: string) => `You can call or text ${isolated(firstName)} at ${phone}.`,
  introButton: 'Open intro',
  answer: (member: string, organization: string, words: string) => `${member} from ${organization}: ${words}`,
  inbound: INBOUND_EN,

  help: (organization: string) =>
    `${organization}: personal video messages about your appointment or project. Reply STOP to opt out. Questions? Call our office.`,
  helpForMember: (organization: string) =>
    `${organization}: requests to record a short video for a customer. Reply NO to decline one, or GIVE and a colleague's first name to hand it over. Reply STOP to opt out.`,
  helpFromUs:
    'These are personal video messages about your appointment or project. Reply STOP to opt out. Questions? Call our office.',
  unknownNumber:
    'We have no record of texting this number, so nothing was changed. Please call the company that texted you.',
  stopped: (organization: string) => `You have opted out of texts from ${organization}. Reply START to get them again.`,
  stoppedFromUs: 'You have opted out of texts from us. Reply START to get them again.',
  started: (organization: string) => `You will get texts from ${organization} again. Reply STOP to opt out.`,
  startedFromUs: 'You will get texts from us again. Reply STOP to opt out.',

  sender: (organization: string) => `Foreword, for ${organization}`,
  webhooks: {
    subject: (host: string) => `Webhooks to ${host} are turned off`,
    off: (organization: string, endpoint: string) =>
      `Foreword has turned off a webhook endpoint of ${isolated(organization)}: ${endpoint}.`,
    reasons: {
      gone: 'It responded with status 410, which means that it no longer wants any webhooks.',
      failing: 'Everything sent to it has failed for five days.',
    },
    effect: 'Pending webhooks to it will not be sent, and it will not receive new ones. Your intros are not affected.',
    fix: (path: string) =>
      `To turn it on again, fix the receiver, then call POST ${path} with {"active": true}. POST ${path}/replay sends the missed webhooks again, and GET ${path}/attempts shows each response.`,
    ignore: "If you no longer need this endpoint, you don't have to do anything.",
  },
  key: {
    subject: (key: string, day: string) => `The API key “${key}” expires on ${day}`,
    expires: (key: { name: string; ending: string }, organization: string, at: string) =>
      `The API key “${key.name}” of ${organization}, which ends with ${key.ending}, expires on ${at}. From then on, requests with it are rejected.`,
    neverUsed: 'It has never been used.',
    lastUsed: (at: string) => `It was last used on ${at}.`,
    replace:
      'To keep the system that uses it working, create another key in the console under Developers, Keys, and replace this one. Or change its expiration date there.',
    ignore: 'If no system needs this key any more, you don’t have to do anything.',
  },
  paused: {
    subject: (organization: string) => `${organization}: texts are paused`,
    paused: (organization: string, reason: string) =>
      `Foreword has paused the text messages of ${organization}. ${reason}`,
    reasons: {
      burst: 'Far more texts than usual were about to be sent today.',
      failures: 'Most of today’s texts could not be delivered.',
    },
    unexpected:
      'If you did not expect this, an API key or an account may be in the wrong hands: check the API keys and the recent intros in the console first.',
    resume: (consoleUrl: string) =>
      `To send the waiting texts, sign in as an owner at ${consoleUrl} and resume them. Nothing is lost until then, and members are notified by email.`,
  },
  carrierFault: {
    subject: (organization: string) => `${organization}: text messages need your attention`,
    faults: {
      credentials: 'The carrier rejects the account that sends your texts.',
      suspended: 'The account that sends your texts is suspended, or has no funds left.',
      sender: 'The account that sends your texts may not use its number.',
      toll_free_unverified: 'The toll-free number that sends your texts is not verified.',
      unregistered: 'The number that sends your texts is not registered for business texts in the US (A2P 10DLC).',
      registration_pending: 'The number that sends your texts is not fully registered yet.',
      campaign_suspended: 'The A2P 10DLC campaign that your texts belong to is suspended.',
      daily_cap: 'The account that sends your texts has reached its limit for a day.',
      filtered: 'A mobile network blocked one of your texts as unwanted.',
      country_off: 'The account that sends your texts may not text numbers in a country you wrote to.',
    },
    held: 'Your texts wait and are sent automatically once this is fixed. Nothing is lost, and members are notified by email.',
    failed: 'One text was not delivered; others are sent as usual. Its sender can share the link instead.',
    next: {
      credentials: 'Check the account SID and the token in the settings of the account.',
      suspended: 'Check the balance and the messages of the carrier in its console.',
      sender: 'Check that the number belongs to the account and can send texts.',
      toll_free_unverified: 'Submit the toll-free verification in the console of the carrier.',
      unregistered: 'Register your brand and a campaign, and add the number to it.',
      registration_pending:
        'Wait: networks take up to a day for a new number. Do not remove the number and add it again.',
      campaign_suspended: 'Read the notice of the carrier, and resolve the suspension with its support.',
      daily_cap: 'Wait for the next day, or ask the carrier for a higher limit.',
      filtered:
        'Check the registration of the number, and the wording of the text: no links from public shorteners, no promotion.',
      country_off: 'Turn the country on in the geographic permissions of the account.',
    },
    ownAccount: 'This is the account of your organization.',
    sharedAccount: 'This account belongs to the administrator of your Foreword. Forward this email to them.',
    details: (message: string, consoleUrl: string) =>
      `The carrier says: ${message}. ${consoleUrl} shows the current state.`,
  },
  dailyLimit: {
    subject: (organization: string) => `${organization} has reached a daily limit for texts`,
    organization: (organization: string, limit: string) =>
      `${organization} has sent ${limit} text messages today, which is its daily limit.`,
    member: (member: string, limit: string) =>
      `${limit} text messages about the intros of ${member} were sent today, which is the daily limit for one member.`,
    effect: (consoleUrl: string) =>
      `Further texts wait until tomorrow, and nothing is lost. ${consoleUrl} shows the limits. Your administrator can change them.`,
    unexpected: 'If you did not expect this, check the API keys and the recent intros in the console.',
  },
  summary: SUMMARY_EN,
  declined: {
    subject: (member: string, recipient: string) => `${member} can’t record the video for ${recipient}`,
    declined: (member: string, recipient: string, reason: string) =>
      `${isolated(member)} declined to record the video for ${isolated(recipient)}. Reason: ${reason}.`,
    reasons: {
      not_meeting: 'they are not meeting this person',
      away: 'they are away',
      details_wrong: 'the details are wrong',
      other: 'another one',
    },
    action: 'Reassign it to someone else or cancel it.',
    due: (at: string) => `It is due ${at}.`,
  },
  signIn: {
    subject: (organization: string) => `Sign in to ${organization}`,
    lead: 'Here’s your sign-in link. It works once, for 15 minutes, in the browser where you requested it.',
    notYou: 'If you didn’t request it, you can ignore this email. No one can sign in without it.',
    button: 'Sign in',
  },
} as const;
