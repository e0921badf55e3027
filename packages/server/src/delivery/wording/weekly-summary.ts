import { isolated, type Language, LOCALES, withoutDirection, withoutReordering } from '@foreword/contract';
import type { Row } from '../../db/tenancy.ts';
import type { WeekCount, WeekCounts } from '../../intros/index.ts';
import { brandColors } from '../../organizations/index.ts';
import { type Html, html } from '../../platform/html.ts';
import { daysOf } from '../summary/rules.ts';
import { DARK_EMAIL } from './email.ts';
import { wordingIn } from './languages/index.ts';

/** An intro that is not recorded yet. */
export interface WaitingIntro {
  readonly id: string;
  readonly recipient: string;
  readonly member: string;
  readonly since: string;
}

/** Stored with the summary, so that each owner gets the same figures, whenever the mail server accepts them. */
export interface SummaryFigures extends WeekCounts {
  /** The intros that have waited the longest. */
  readonly longest: readonly WaitingIntro[];
}

export interface WrittenSummary {
  readonly organization: Pick<Row<'organizations'>, 'name' | 'timezone' | 'language'>;
  readonly ownerFirstName: string;
  readonly week: string;
  readonly figures: SummaryFigures;
  readonly consoleUrl: string;
  /** Null in the stored text, which must not contain links that work without signing in. */
  readonly offUrl: string | null;
}

const FIGURES = ['sent', 'watched', 'answered', 'waiting'] as const;
type Figure = (typeof FIGURES)[number];

/** The texts of the summary and of the page that turns it off. */
export const summaryTextsIn = (language: Language) => wordingIn(language).summary;

const textsOf = ({ organization }: WrittenSummary) => summaryTextsIn(organization.language);
const format = ({ organization }: WrittenSummary, amount: number): string =>
  new Intl.NumberFormat(LOCALES[organization.language]).format(amount);

/** "November 16 – 22" */
function daysText({ organization, week }: WrittenSummary): string {
  const { first, last } = daysOf(week);
  const day = { month: 'long', day: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(LOCALES[organization.language], day).formatRange(new Date(first), new Date(last));
}

function compareText(summary: WrittenSummary, { now, before }: WeekCount): string {
  const { same, more, fewer } = textsOf(summary);
  if (now === before) return same;
  return now > before ? more(format(summary, now - before)) : fewer(format(summary, before - now));
}

function waitingText(summary: WrittenSummary, { member, since }: WaitingIntro): string {
  const { language, timezone: timeZone } = summary.organization;
  const day = new Intl.DateTimeFormat(LOCALES[language], { month: 'long', day: 'numeric', timeZone });
  return textsOf(summary).waiting(member, day.format(new Date(since)));
}

export const summarySubject = (summary: WrittenSummary): string =>
  textsOf(summary).subject(withoutDirection(summary.organization.name), daysText(summary));

const greeting = ({ organization, ownerFirstName }: WrittenSummary): string =>
  wordingIn(organization.language).greeting(ownerFirstName);
const overviewOf = ({ consoleUrl }: WrittenSummary): string => `${consoleUrl}/overview`;
const introOf = ({ consoleUrl }: WrittenSummary, { id }: WaitingIntro): string => `${consoleUrl}/intros/${id}`;

/** The plain text of the email. */
export function renderSummaryText(summary: WrittenSummary): string {
  const { organization, figures, offUrl } = summary;
  const { lead, figures: names, longest, button, why, off } = textsOf(summary);
  const figureLine = (name: Figure) =>
    `${names[name]}: ${format(summary, figures[name].now)} (${compareText(summary, figures[name])})`;
  const waitingLine = (intro: WaitingIntro) =>
    `- ${isolated(intro.recipient)}, ${waitingText(summary, intro)}\n  ${introOf(summary, intro)}`;
  const paragraphs = [
    greeting(summary),
    lead(isolated(organization.name), daysText(summary)),
    FIGURES.map(figureLine).join('\n'),
    ...(figures.longest.length === 0 ? [] : [`${longest}:\n${figures.longest.map(waitingLine).join('\n')}`]),
    `${button}: ${overviewOf(summary)}`,
    wordingIn(organization.language).sender(organization.name),
    why + (offUrl === null ? '' : ` ${off}: ${offUrl}`),
  ];
  return withoutReordering(`${paragraphs.join('\n\n')}\n`);
}

const FONT = "font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif";
const SOFT = 'color:#5d5a54;font-size:14px';

const figureCell = (summary: WrittenSummary, name: Figure): Html => html`
<td class="cell" width="50%" valign="top" style="padding:14px 16px;background:#ffffff;border:1px solid #e5e0d6">
<span class="soft" style="${SOFT}">${textsOf(summary).figures[name]}</span><br>
<strong style="font-size:26px;line-height:1.3">${format(summary, summary.figures[name].now)}</strong><br>
<span class="soft" style="${SOFT}">${compareText(summary, summary.figures[name])}</span></td>`;

function figureRows(summary: WrittenSummary): Html {
  const [sent, watched, answered, waiting] = FIGURES.map((name) => figureCell(summary, name));
  return html`<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="border-collapse:collapse;margin:20px 0;font-size:16px">
<tr>${sent ?? null}${watched ?? null}</tr>
<tr>${answered ?? null}${waiting ?? null}</tr>
</table>`;
}

const longestList = (
  summary: WrittenSummary,
): Html => html`<h2 style="margin:28px 0 8px;font-size:16px">${textsOf(summary).longest}</h2>
<ul style="margin:0;padding:0;list-style:none">
${summary.figures.longest.map(
  (
    intro,
  ) => html`<li style="margin:0 0 10px"><a class="ink" href="${introOf(summary, intro)}" style="color:#1d1b18;font-weight:600">${intro.recipient}</a><br>
<span class="soft" style="${SOFT}">${waitingText(summary, intro)}</span></li>
`,
)}</ul>`;

/** The HTML of the email: no images, nothing loaded from another host. */
export function renderSummaryHtml(summary: WrittenSummary): string {
  const { organization, figures, offUrl } = summary;
  const { lead, button: buttonText, why, off } = textsOf(summary);
  const { accent: background, edge, onAccent } = brandColors(null).light;
  const button = `display:inline-block;padding:14px 24px;border-radius:10px;border:1px solid ${edge};background:${background};color:${onAccent};font-weight:600;text-decoration:none`;
  const page = html`<!doctype html>
<html lang="${organization.language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${summarySubject(summary)}</title><style>${DARK_EMAIL}</style></head>
<body class="page" style="margin:0;padding:24px 16px;background:#faf8f4;color:#151412;overflow-wrap:anywhere;${FONT}">
<div style="max-width:520px;margin:0 auto">
<p>${greeting(summary)}</p>
<p>${lead(isolated(organization.name), daysText(summary))}</p>
${figureRows(summary)}
${figures.longest.length > 0 && longestList(summary)}
<p style="margin:28px 0"><a href="${overviewOf(summary)}" style="${button}">${buttonText}</a></p>
<p class="soft" style="${SOFT}">${wordingIn(organization.language).sender(withoutDirection(organization.name))}<br>
${why}${offUrl !== null && html` <a class="soft" href="${offUrl}" style="color:#5d5a54">${off}</a>`}</p>
</div>
</body>
</html>
`;
  return page.text;
}
