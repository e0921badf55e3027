import { isolated, type Language, LOCALES, withoutDirection, withoutReordering } from '@foreword/contract';
import type { WeekCount, WeekCounts } from '../../intros/index.ts';
import { html } from '../../platform/html.ts';
import type { Mail } from '../carriers/carrier.ts';
import { type Addressee, emailButton, emailPage, SOFT } from './email.ts';
import { wordingIn } from './languages/index.ts';

/** Stored with the summary, so that each owner gets the same figures, whenever the mail server accepts them. */
export interface SummaryFigures extends WeekCounts {
  /** The intros that have waited the longest to be recorded. */
  readonly longest: readonly {
    readonly id: string;
    readonly recipient: string;
    readonly member: string;
    readonly since: string;
  }[];
}

export interface WrittenSummary extends Addressee {
  /** Its first and its last day, such as `2026-03-02`. */
  readonly first: string;
  readonly last: string;
  readonly figures: SummaryFigures;
  readonly consoleUrl: string;
  /** Null in the stored text, which must not contain links that work without signing in. */
  readonly offUrl: string | null;
}

const FIGURES = ['sent', 'watched', 'answered', 'waiting'] as const;

/** The texts of the summary and of the page that turns it off. */
export const summaryTextsIn = (language: Language) => wordingIn(language).summary;

/** The words of both forms of the email. */
function compose({ organization, ownerFirstName, first, last, figures, consoleUrl }: WrittenSummary) {
  const { name, language, timezone: timeZone } = organization;
  const words = summaryTextsIn(language);
  const locale = LOCALES[language];
  const { format } = new Intl.NumberFormat(locale);
  const day = { month: 'long', day: 'numeric' } as const;
  const since = new Intl.DateTimeFormat(locale, { ...day, timeZone });
  // "November 16 – 22"
  const week = new Intl.DateTimeFormat(locale, { ...day, timeZone: 'UTC' });
  const days = week.formatRange(new Date(first), new Date(last));
  const compare = ({ now, before }: WeekCount): string => {
    if (now === before) return words.same;
    return now > before ? words.more(format(now - before)) : words.fewer(format(before - now));
  };
  return {
    subject: words.subject(withoutDirection(name), days),
    greeting: wordingIn(language).greeting(ownerFirstName),
    lead: words.lead(isolated(name), days),
    figures: FIGURES.map((figure) => ({
      label: words.figures[figure],
      amount: format(figures[figure].now),
      comparison: compare(figures[figure]),
    })),
    longest: figures.longest.map((intro) => ({
      recipient: intro.recipient,
      waiting: words.waiting(intro.member, since.format(new Date(intro.since))),
      url: `${consoleUrl}/intros/${intro.id}`,
    })),
    overviewUrl: `${consoleUrl}/overview`,
  };
}

type Composed = ReturnType<typeof compose>;

function renderText({ organization: { name, language }, offUrl }: WrittenSummary, composed: Composed): string {
  const { longest: title, button, why, off } = summaryTextsIn(language);
  const { greeting, lead, figures, longest, overviewUrl } = composed;
  const waiting = longest.map((intro) => `- ${isolated(intro.recipient)}, ${intro.waiting}\n  ${intro.url}`);
  const paragraphs = [
    greeting,
    lead,
    figures.map(({ label, amount, comparison }) => `${label}: ${amount} (${comparison})`).join('\n'),
    ...(waiting.length === 0 ? [] : [`${title}:\n${waiting.join('\n')}`]),
    `${button}: ${overviewUrl}`,
    wordingIn(language).sender(name),
    why + (offUrl === null ? '' : ` ${off}: ${offUrl}`),
  ];
  return withoutReordering(`${paragraphs.join('\n\n')}\n`);
}

function renderHtml({ organization: { name, language }, offUrl }: WrittenSummary, composed: Composed): string {
  const { longest: title, button, why, off } = summaryTextsIn(language);
  const { subject, greeting, lead, figures, longest, overviewUrl } = composed;
  const cells = figures.map(
    ({ label, amount, comparison }) => html`
<td class="cell" width="50%" valign="top" style="padding:14px 16px;background:#ffffff;border:1px solid #e5e0d6">
<span class="soft" style="${SOFT}">${label}</span><br>
<strong style="font-size:26px;line-height:1.3">${amount}</strong><br>
<span class="soft" style="${SOFT}">${comparison}</span></td>`,
  );
  const waiting = longest.map(
    (
      intro,
    ) => html`<li style="margin:0 0 10px"><a class="ink" href="${intro.url}" style="color:#1d1b18;font-weight:600">${intro.recipient}</a><br>
<span class="soft" style="${SOFT}">${intro.waiting}</span></li>
`,
  );
  const list = html`<h2 style="margin:28px 0 8px;font-size:16px">${title}</h2>
<ul style="margin:0;padding:0;list-style:none">
${waiting}</ul>`;
  return emailPage(
    { language, subject },
    html`<p>${greeting}</p>
<p>${lead}</p>
<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="border-collapse:collapse;margin:20px 0;font-size:16px">
<tr>${cells.slice(0, 2)}</tr>
<tr>${cells.slice(2)}</tr>
</table>
${longest.length > 0 && list}
${emailButton(overviewUrl, button, null)}
<p class="soft" style="${SOFT}">${wordingIn(language).sender(withoutDirection(name))}<br>
${why}${offUrl !== null && html` <a class="soft" href="${offUrl}" style="color:#5d5a54">${off}</a>`}</p>`,
  );
}

export function writeSummary(summary: WrittenSummary): Pick<Mail, 'subject' | 'text' | 'html'> {
  const composed = compose(summary);
  return {
    subject: composed.subject,
    text: renderText(summary, composed),
    html: renderHtml(summary, composed),
  };
}
