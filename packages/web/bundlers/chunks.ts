import path from 'node:path';
import { ROOT } from './entry.ts';

interface Module {
  readonly importedIds: readonly string[];
  readonly dynamicallyImportedIds: readonly string[];
}

type ReadModule = (id: string) => Module | null;

const isOwn = (id: string): boolean => id.startsWith(`${ROOT}${path.sep}`) && !id.includes('node_modules');

/** The module and all that it imports statically. */
function closureOf(start: string, read: ReadModule): Set<string> {
  const found = new Set<string>();
  const visit = (id: string): void => {
    if (found.has(id)) return;
    found.add(id);
    for (const imported of read(id)?.importedIds ?? []) visit(imported);
  };
  visit(start);
  return found;
}

/** A part of the script that more than half of the pages use is as good as used by all of them. */
const MOST_PAGES = 0.5;

/**
 * Decides which modules share a file, where the bundler would make many small files. Each of those costs a request and
 * headers, and compresses worse:
 * - What most pages use belongs to `main`, which every page loads.
 * - What only one page uses is one file, even if the page loads some of its users later.
 * Modules that bring a library which not every page loads stay separate.
 */
export function createChunks(main: string): (id: string, read: ReadModule) => string | null {
  let pages: readonly { name: string; modules: Set<string> }[] | undefined;
  let always = new Set<string>();
  const known = new Map<string, boolean>();
  function needsLibrary(id: string, read: ReadModule): boolean {
    const before = known.get(id);
    if (before !== undefined) return before;
    // Ends the search where modules import each other.
    known.set(id, false);
    const isLibrary = id.includes('node_modules') && !always.has(id);
    const needs = isLibrary || (read(id)?.importedIds ?? []).some((each) => needsLibrary(each, read));
    known.set(id, needs);
    return needs;
  }

  return (id, read) => {
    if (pages === undefined) {
      always = closureOf(path.join(ROOT, main), read);
      const opened = [...always].flatMap((each) => read(each)?.dynamicallyImportedIds ?? []);
      pages = opened.map((page) => ({
        name: path
          .relative(ROOT, page)
          .replace(/\.tsx$/, '')
          .replace(/\W+/g, '-'),
        modules: closureOf(page, read),
      }));
    }
    if (!isOwn(id) || needsLibrary(id, read)) return null;
    const users = pages.filter(({ modules }) => modules.has(id));
    if (users.length > pages.length * MOST_PAGES) return 'main';
    return users.length === 1 ? (users[0]?.name ?? null) : null;
  };
}
