import fs from 'node:fs';
import path from 'node:path';
import { type Rewritten, rewriteLinks } from './markdown.ts';
import { type Page, ROOT } from './pages.ts';

/** Where the service has its pages; the service replaces it with its own address (packages/server/src/http/docs/site.ts). */
export const SERVICE = 'https://foreword.invalid';
export const BASE = '/docs';
/** Files of the repository that every service has at an address. */
const SERVED: Readonly<Record<string, string>> = { 'openapi.json': '/openapi.json', 'docs/README.md': BASE };

/** Pictures of the screens. The build copies them (finish.ts). */
export const PICTURES = 'docs/pictures/';

export const addressOf = (page: Pick<Page, 'id'>): string => `${BASE}/${page.id}`;

/** The image is built without the rest of the repository (build.ts). */
const IS_PAGES_ONLY = process.env.DOCS_PAGES_ONLY === '1';

const isExternal = (address: string): boolean => /^[a-z][a-z+.-]*:|^\/\//i.test(address);

/** The text of a link to a file that only the repository has, with the file's path if the text does not name it. */
function nameFile(label: string, file: string): string {
  return label.includes(path.basename(file)) || label.includes(file) ? label : `${label} (\`${file}\`)`;
}

/**
 * Rewrites the links of a page: to other pages by `write`, to files that the site does not have as text. A link to a file that
 * does not exist is an error.
 */
export function rewritePage(
  page: Page,
  pages: ReadonlyMap<string, Page>,
  write: (target: { readonly path: string; readonly fragment: string; readonly isPage: boolean }) => string,
): string {
  return rewriteLinks(page.body, (address, label): Rewritten => {
    if (isExternal(address) || address.startsWith('#')) return { address };
    const [pathname = '', fragment] = address.split('#');
    const rest = fragment === undefined ? '' : `#${fragment}`;
    if (pathname.startsWith('/')) return { address: write({ path: pathname, fragment: rest, isPage: false }) };
    const file = path.posix.join(path.posix.dirname(page.file), decodeURI(pathname)).replace(/\/$/, '');
    const target = pages.get(file) ?? pages.get(`${file}/README.md`);
    if (target !== undefined) return { address: write({ path: addressOf(target), fragment: rest, isPage: true }) };
    const served = SERVED[file] ?? (file.startsWith(PICTURES) ? `${BASE}/${file.slice('docs/'.length)}` : undefined);
    if (served !== undefined) return { address: write({ path: served, fragment: '', isPage: false }) };
    if (!IS_PAGES_ONLY && !fs.existsSync(path.join(ROOT, file)))
      throw new Error(`${page.file}: the link to ${address} leads to no file`);
    return { text: nameFile(label, file) };
  });
}
