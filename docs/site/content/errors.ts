import { ERROR_GUIDE, type ErrorGuideEntry } from '../../../packages/contract/src/error-guide.ts';

/** Stands for a file in `sections.ts`: this page is written from the contract. */
export const ERRORS_FILE = 'errors';

const writeEntry = ({ code, status, description, action, example }: ErrorGuideEntry): string =>
  [
    `### \`${code}\`${status === null ? '' : ` (HTTP ${status})`}`,
    description,
    `**What to do:** ${action}`,
    ...(example === null ? [] : [`\`\`\`json\n${example}\n\`\`\``]),
  ].join('\n\n');

/** The page as Markdown, for readers of `/docs/errors.md`. */
export const writeErrorsMarkdown = (): string =>
  [
    '# Errors',
    'What each error code means, and what to do about it.',
    ...ERROR_GUIDE.flatMap(({ title, text, entries }) => [`## ${title}`, text, ...entries.map(writeEntry)]),
    '',
  ].join('\n\n');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
const prose = (text: string): string =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? `<code>${escapeHtml(part)}</code>` : escapeHtml(part)))
    .join('');

const renderEntry = ({ anchor, code, status, description, action, example }: ErrorGuideEntry): string =>
  `<section class="error"><h3 id="${anchor}"><a href="#${anchor}"><code>${code}</code></a>${
    status === null ? '' : ` <span>HTTP ${status}</span>`
  }</h3><p>${prose(description)}</p><p><strong>What to do:</strong> ${prose(action)}</p>${
    example === null ? '' : `<pre tabindex="0"><code>${escapeHtml(example)}</code></pre>`
  }</section>`;

const slugOf = (title: string): string => title.toLowerCase().replaceAll(' ', '-');

/** The page as HTML. Its anchors are those of the header `Link` of each error, which Markdown cannot express. */
export function renderErrors(): { html: string; headings: { depth: number; slug: string; text: string }[] } {
  const html = ERROR_GUIDE.map(
    ({ title, text, entries }) =>
      `<h2 id="${slugOf(title)}">${title}</h2><p>${prose(text)}</p>${entries.map(renderEntry).join('')}`,
  ).join('');
  const headings = ERROR_GUIDE.flatMap(({ title, entries }) => [
    { depth: 2, slug: slugOf(title), text: title },
    ...entries.map(({ anchor, code }) => ({ depth: 3, slug: anchor, text: code })),
  ]);
  return { html: `<p>What each error code means, and what to do about it.</p>${html}`, headings };
}
