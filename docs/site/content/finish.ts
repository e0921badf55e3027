import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroIntegration } from 'astro';
import { checkLinks } from './check.ts';
import { PICTURES } from './links.ts';
import { ROOT, type SectionOfPages } from './pages.ts';
import { writePlainFiles } from './plain.ts';

/** Interfaces of Pagefind that Starlight does not use. */
const UNUSED = /^pagefind\/pagefind-(ui|modular-ui|component-ui|highlight)\./;
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)([^>]*)>([\s\S]*?)<\/script>/g;

const listFiles = (folder: string): string[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();

/** The scripts that the service's content security policy must allow: they set the colors and the sidebar before they show. */
export function hashScripts(pages: Iterable<string>): string[] {
  const hashes = new Set<string>();
  for (const page of pages) {
    for (const [, attributes = '', script = ''] of page.matchAll(INLINE_SCRIPT)) {
      if (/type="application\/(ld\+)?json"/.test(attributes)) continue;
      hashes.add(`'sha256-${createHash('sha256').update(script).digest('base64')}'`);
    }
  }
  return [...hashes].sort();
}

/** Checks all links, and adds the pictures, the Markdown of each page and the policy of the service's headers. */
export function finishSite(sections: readonly SectionOfPages[]): AstroIntegration {
  return {
    name: 'finish-site',
    hooks: {
      'astro:build:done': ({ dir }) => {
        const folder = fileURLToPath(dir);
        for (const file of listFiles(folder).filter((name) => UNUSED.test(name))) fs.rmSync(path.join(folder, file));
        for (const [file, text] of writePlainFiles(sections)) {
          fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
          fs.writeFileSync(path.join(folder, file), text);
        }
        fs.cpSync(path.join(ROOT, PICTURES), path.join(folder, 'pictures'), { recursive: true });
        const files = listFiles(folder);
        const pages = new Map(
          files
            .filter((name) => name.endsWith('.html'))
            .map((name) => [name, fs.readFileSync(path.join(folder, name), 'utf8')]),
        );
        const problems = checkLinks(pages, new Set(files));
        if (problems.length > 0) throw new Error(`Broken links:\n${problems.join('\n')}`);
        const policy = { scripts: hashScripts(pages.values()) };
        fs.writeFileSync(path.join(folder, 'policy.json'), `${JSON.stringify(policy, null, 2)}\n`);
      },
    },
  };
}
