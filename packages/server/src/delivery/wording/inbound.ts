import type { Language } from '@foreword/contract';
import { wordingIn } from './languages/index.ts';

export const inboundWording = (language: Language) => wordingIn(language).inbound;

/** A choice of a member: a reply to answer, or a video to decline or hand over. */
export interface Choice {
  readonly kind: 'reply' | 'video';
  readonly recipient: string;
}

/** Choices in one text. Names of this length leave room for the rest of four segments. */
export const MAX_CHOICES = 9;
const NAME_MAX_LENGTH = 40;

/** The first choice has the number 1. Those beyond `MAX_CHOICES` are counted, and not listed. */
export function writeChoices(language: Language, choices: readonly Choice[]): string {
  const wording = inboundWording(language);
  const listed = choices.slice(0, MAX_CHOICES);
  const first = (kind: Choice['kind']): number => listed.findIndex((choice) => choice.kind === kind) + 1;
  const [reply, video] = [first('reply'), first('video')];
  const title = reply === 0 ? wording.videos : video === 0 ? wording.conversations : wording.either;
  const name = ({ kind, recipient }: Choice): string => {
    const short = [...recipient].slice(0, NAME_MAX_LENGTH).join('');
    return reply > 0 && video > 0 ? wording[kind](short) : short;
  };
  return [
    title,
    ...listed.map((choice, index) => `${index + 1} ${name(choice)}`),
    ...(choices.length > listed.length ? [wording.unlisted(choices.length - listed.length)] : []),
    ...(reply > 0 ? [wording.chooseRecipient(reply)] : []),
    ...(video > 0 ? [wording.chooseVideo(video)] : []),
  ].join('\n');
}
