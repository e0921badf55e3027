import type { SourceFile } from './source-files.ts';

const CONSOLE = 'packages/web/console/';

/** Text between tags, or in an attribute that people see or hear. Names of paths and values begin in lower case. */
const SHOWN: readonly RegExp[] = [
  />\s*[A-Z][a-z]+(?:[ ,.’][^<>{}=;]*)?<\//g,
  /\s(?:aria-label|label|title|placeholder|alt|hint|lead)="[A-Z][a-z]+[^"]*"/g,
];

/** Every text of the console is in `texts/`, so that a second language finds all of them. */
export function findTextsOnScreens({ path: file, text }: SourceFile): string[] {
  if (!file.startsWith(CONSOLE) || !file.endsWith('.tsx')) return [];
  return SHOWN.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(
      ({ index }) =>
        `${file}:${text.slice(0, index).split('\n').length}: a text on the screen; move it to console/texts`,
    ),
  );
}
