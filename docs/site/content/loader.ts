import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Loader } from 'astro/loaders';
import { ERRORS_FILE, renderErrors } from './errors.ts';
import { describeLanding, renderLanding } from './landing.ts';
import { rewritePage } from './links.ts';
import { listPages, type Page, ROOT, readSections } from './pages.ts';

type Context = Parameters<Loader['load']>[0];
type Rendered = Awaited<ReturnType<Context['renderMarkdown']>>;

/** Wide tables and code scroll in their own box, with the keyboard too. */
const makeScrollable = (html: string): string =>
  html
    // Its script removes this where the code fits. Otherwise it would add a landmark without a name.
    .replaceAll('<pre data-language=', '<pre tabindex="0" data-language=')
    .replaceAll('<table>', '<div class="table" role="group" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    // Markdown has no table without a header row, and an empty header is announced as one.
    .replaceAll(/<th([^>]*)><\/th>/g, '<td$1></td>');

async function render(page: Page, pages: ReadonlyMap<string, Page>, context: Context): Promise<Rendered> {
  if (page.file === ERRORS_FILE) {
    const { html, headings } = renderErrors();
    return { html, metadata: { headings, imagePaths: [], frontmatter: {} } };
  }
  const body = rewritePage(page, pages, ({ path: address, fragment }) => address + fragment);
  const rendered = await context.renderMarkdown(body, { fileURL: pathToFileURL(path.join(ROOT, page.file)) });
  return { ...rendered, html: makeScrollable(rendered.html) };
}

/** Loads the Markdown files of the repository, which have no frontmatter: their first heading is the title. */
export async function loadPages(context: Context): Promise<void> {
  const { store, parseData } = context;
  const sections = readSections();
  const pages = listPages(sections);
  const byFile = new Map(pages.map((page) => [page.file, page]));
  store.clear();
  const { title, sentence, ways } = describeLanding(sections);
  const landing = { title, description: sentence, tableOfContents: false, pagefind: false };
  store.set({
    id: 'index',
    data: await parseData({ id: 'index', data: landing }),
    rendered: { html: renderLanding({ title, sentence, ways }) },
  });
  for (const page of pages) {
    const { id, title, description } = page;
    const data = await parseData({ id, data: { title, description } });
    store.set({ id, data, body: page.body, rendered: await render(page, byFile, context) });
  }
}
