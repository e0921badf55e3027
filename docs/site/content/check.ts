import { BASE } from './links.ts';

/** Pages of the service that this site does not contain, with their fragments. */
const SERVED = new Set([
  '/',
  '/console',
  '/openapi.json',
  '/healthz',
  '/readyz',
  '/metrics',
  '/llms.txt',
  '/llms-full.txt',
]);
const REFERENCE = `${BASE}/reference`;

const readEntities = (text: string): string => text.replaceAll('&#38;', '&').replaceAll('&amp;', '&');

const listIds = (page: string): Set<string> =>
  new Set([...page.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => readEntities(id)));

/** The file that the service sends for an address, as docs-site.ts finds it. */
function findFile(address: string, files: ReadonlySet<string>): string | null {
  const name = decodeURI(address.slice(BASE.length + 1));
  const candidates = name === '' ? ['index.html'] : [`${name}/index.html`, name];
  return candidates.find((candidate) => files.has(candidate)) ?? null;
}

/** Every link and loaded file of every page that leads nowhere, or to another host without being a link. */
export function checkLinks(pages: ReadonlyMap<string, string>, files: ReadonlySet<string>): string[] {
  const ids = new Map([...pages].map(([name, page]) => [name, listIds(page)]));
  const findProblem = (from: string, address: string): string | null => {
    if (/^(https?|mailto|data):/.test(address)) return null;
    const [pathname = '', fragment] = address.split('#');
    if (pathname === REFERENCE || SERVED.has(pathname)) return null;
    if (pathname !== '' && pathname !== BASE && !pathname.startsWith(`${BASE}/`))
      return 'is not an address of the service';
    const file = pathname === '' ? from : findFile(pathname, files);
    if (file === null) return 'leads to no page';
    if (fragment === undefined || fragment === '' || ids.get(file)?.has(decodeURIComponent(fragment)) !== false)
      return null;
    return 'leads to no heading';
  };
  const problems: string[] = [];
  for (const [name, page] of pages) {
    for (const [, address = ''] of page.matchAll(/<(?:a|link|script|img|source)\b[^>]*?\s(?:href|src)="([^"]*)"/g)) {
      const problem = findProblem(name, readEntities(address));
      if (problem !== null) problems.push(`${name}: ${address} ${problem}`);
    }
  }
  return [...new Set(problems)];
}
