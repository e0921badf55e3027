import { isolated } from '@foreword/contract';

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
