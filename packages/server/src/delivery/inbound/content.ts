import { TEXT_REPLY_MAX_LENGTH } from '@foreword/contract';

const EMOJI = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}\u200a\u200b\u200d\ufe0f\s]+`;
// Reactions that phones send as texts: "Liked “…”" (iPhone), "👍 to “…”" and "Reacted 👍 to “…”" (Android), in English and Spanish.
const QUOTE = String.raw`\s*["“«].*["”»]\s*$`;
const REACTIONS = [
  `^(?:liked|loved|disliked|laughed at|emphasized|questioned)${QUOTE}`,
  '^(?:liked|loved|disliked|laughed at|emphasized|questioned) an? (?:image|photo|video|attachment|movie)$',
  `^removed an? .{1,40} from${QUOTE}`,
  `^(?:le gust[aó]|le encant[aó]|me gusta|me encanta|no le gust[aó]|no me gusta|se ri[oó] de|enfatiz[oó]|cuestion[oó])${QUOTE}`,
  `^(?:elimin[oó]|quit[oó]) .{1,40} de${QUOTE}`,
  `^(?:reacted |reaccion[oó] con )?${EMOJI} ?(?:to|a)${QUOTE}`,
].map((pattern) => new RegExp(pattern, 'isu'));

/** A reaction to one of our texts. It is no reply: phones send it with a tap, also when it is taken back. */
export const isReaction = (text: string): boolean => REACTIONS.some((pattern) => pattern.test(text));

/** The words of a text without characters that no one can see, and no longer than carriers deliver. */
export function cleanText(body: string): string {
  const visible = body
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n]/gu, ' ')
    .replaceAll(/[\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .trim();
  return [...visible].slice(0, TEXT_REPLY_MAX_LENGTH).join('');
}
