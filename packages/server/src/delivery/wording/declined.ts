import { type DeclineReason, isolated, LOCALES } from '@foreword/contract';
import type { IntroWithMember } from '../../intros/index.ts';
import { type Addressee, addressed, type Email, type EmailWithLink } from './email.ts';
import { wordingIn } from './languages/index.ts';

type Intro = Pick<
  IntroWithMember,
  'recipient_first_name' | 'recipient_last_name' | 'member_first_name' | 'member_last_name' | 'expires_at'
>;

/** The email with its last paragraph, which is the link, as a button. */
export const withButton = (email: Email): EmailWithLink => ({
  ...email,
  lines: email.lines.slice(0, -1),
  button: wordingIn(email.language).introButton,
  link: email.lines.at(-1) ?? '',
});

/** To owners and managers. Its last paragraph is the link to the intro in the console. */
export function writeDeclinedIntro(
  to: Addressee,
  intro: Intro,
  { reason, message }: { readonly reason: DeclineReason; readonly message: string | null },
  link: string,
): Email {
  const { language, timezone: timeZone } = to.organization;
  const { subject, declined, reasons, action, due } = wordingIn(language).declined;
  const member = `${intro.member_first_name} ${intro.member_last_name}`;
  const recipient = [intro.recipient_first_name, intro.recipient_last_name].filter((name) => name !== null).join(' ');
  const format = new Intl.DateTimeFormat(LOCALES[language], {
    ...{ timeZone, weekday: 'long', month: 'long', day: 'numeric' },
    ...{ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
  });
  return {
    ...addressed(to),
    subject: subject(member, recipient),
    lines: [
      declined(member, recipient, reasons[reason]),
      ...(message === null ? [] : [`“${isolated(message)}”`]),
      intro.expires_at === null ? action : `${action} ${due(format.format(intro.expires_at))}`,
      link,
    ],
  };
}
