import fs from 'node:fs';
import path from 'node:path';
import { toString as toText } from 'mdast-util-to-string';
import { SECTIONS, type Section } from '../sections.ts';
import { ERRORS_FILE, writeErrorsMarkdown } from './errors.ts';
import { parse } from './markdown.ts';

export const ROOT = path.join(import.meta.dirname, '../../..');

export interface Page {
  /** Its address below `/docs`. */
  readonly id: string;
  /** From the root of the repository. Links are relative to it. */
  readonly file: string;
  readonly title: string;
  /** The first paragraph as plain text. */
  readonly description: string;
  /** Without the title. */
  readonly body: string;
  readonly isListed: boolean;
}

export interface SectionOfPages {
  readonly label: string;
  readonly pages: readonly Page[];
  readonly link: string | null;
}

const IDS: Readonly<Record<string, string>> = {
  'packages/sdk/README.md': 'sdk',
  'CHANGELOG.md': 'changelog',
  'SECURITY.md': 'security',
};

const idOf = (file: string): string =>
  IDS[file] ??
  file
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .replace(/\/README$/, '');

/** Title, description and the rest of a Markdown file whose first line is its title. */
export function readPage(file: string, text: string, isListed = true): Page {
  const { children } = parse(text);
  const [heading] = children;
  if (heading?.type !== 'heading' || heading.depth !== 1) throw new Error(`${file} must start with "# Title"`);
  const paragraph = children.find(({ type }) => type === 'paragraph');
  if (paragraph === undefined) throw new Error(`${file} has no paragraph, which describes the page in searches`);
  return {
    id: idOf(file),
    file,
    title: toText(heading),
    description: toText(paragraph).replace(/\s+/g, ' '),
    body: text.slice(heading.position?.end.offset).trimStart(),
    isListed,
  };
}

function listFolder(folder: string, first: readonly string[]): string[] {
  const full = path.join(ROOT, folder);
  if (!fs.existsSync(full)) return [];
  const names = fs.readdirSync(full).filter((name) => name.endsWith('.md'));
  const rank = (name: string) => (first.indexOf(name.replace(/\.md$/, '')) + first.length + 1) % (first.length + 1);
  return names.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)).map((name) => `${folder}/${name}`);
}

function listFiles({ files = [], folder, first = [] }: Section): string[] {
  const own = files.filter((file) => file === ERRORS_FILE || fs.existsSync(path.join(ROOT, file)));
  return folder === undefined ? own : [...listFolder(folder, first), ...own];
}

/** Reads every page. A file in two sections belongs to the first one. */
export function readSections(): SectionOfPages[] {
  const seen = new Set<string>();
  return SECTIONS.map((section) => {
    const files = listFiles(section).filter((file) => !seen.has(file) && seen.add(file));
    const pages = files.map((file) =>
      readPage(
        file,
        file === ERRORS_FILE ? writeErrorsMarkdown() : fs.readFileSync(path.join(ROOT, file), 'utf8'),
        section.unlisted?.includes(file) !== true,
      ),
    );
    return { label: section.label, pages, link: section.link ?? null };
  });
}

export const listPages = (sections: readonly SectionOfPages[]): Page[] => sections.flatMap(({ pages }) => pages);
