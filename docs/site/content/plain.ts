import { describeLanding, type Landing } from './landing.ts';
import { addressOf, BASE, rewritePage, SERVICE } from './links.ts';
import { listPages, type Page, type SectionOfPages } from './pages.ts';

/** A page as Markdown. Its links are complete and lead to Markdown as well. */
function writePage(page: Page, pages: ReadonlyMap<string, Page>): string {
  const body = rewritePage(page, pages, ({ path, fragment, isPage }) =>
    isPage ? `${SERVICE}${path}.md${fragment}` : `${SERVICE}${path}${fragment}`,
  );
  return `# ${page.title}\n\n${body.trimEnd()}\n`;
}

const writeLanding = ({ title, sentence, ways }: Landing): string =>
  [
    `# ${title}`,
    sentence,
    ...ways.map(({ title: way, text, links }) => {
      const list = links.map(
        ({ label, path, isPage }) => `- [${label}](${SERVICE}${BASE}${path}${isPage ? '.md' : ''})`,
      );
      return `## ${way}\n\n${text}\n\n${list.join('\n')}`;
    }),
    '',
  ].join('\n\n');

const writeIndex = (sections: readonly SectionOfPages[], { sentence }: Landing): string =>
  [
    '# Foreword',
    `> ${sentence}`,
    `Every page is Markdown. [llms-full.txt](${SERVICE}/llms-full.txt) has all of them in one file.`,
    ...sections
      .filter(({ pages }) => pages.length > 0)
      .map(
        ({ label, pages }) =>
          `## ${label}\n\n${pages
            .map((page) => `- [${page.title}](${SERVICE}${addressOf(page)}.md): ${page.description}`)
            .join('\n')}`,
      ),
    `## API\n\n- [OpenAPI document](${SERVICE}/openapi.json): every operation, field and error as OpenAPI 3.1\n- [API reference](${SERVICE}${BASE}/reference): the same for people, in a browser`,
    '',
  ].join('\n\n');

/** The files for programs, by their path in the built site. */
export function writePlainFiles(sections: readonly SectionOfPages[]): Map<string, string> {
  const pages = listPages(sections);
  const landing = describeLanding(sections);
  const byFile = new Map(pages.map((page) => [page.file, page]));
  const texts = pages.map((page) => [`${page.id}.md`, writePage(page, byFile)] as const);
  return new Map([
    ...texts,
    ['index.md', writeLanding(landing)],
    ['llms.txt', writeIndex(sections, landing)],
    ['llms-full.txt', [writeLanding(landing), ...texts.map(([, text]) => text)].join('\n\n---\n\n')],
  ]);
}
