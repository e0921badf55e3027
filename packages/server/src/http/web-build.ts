import fs from 'node:fs';
import path from 'node:path';
import { LANGUAGES, type Language } from '@foreword/contract';
import type { WebBuild } from '@foreword/web/build';

/** The npm package and images contain the built web files here. A clone does not. */
const PREBUILT = path.join(import.meta.dirname, '../../web');

function readPrebuilt(): WebBuild | null {
  try {
    const manifest = fs.readFileSync(path.join(PREBUILT, 'manifest.json'), 'utf8');
    return { folder: PREBUILT, entries: (JSON.parse(manifest) as Pick<WebBuild, 'entries'>).entries };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The built web files. Only a clone builds them, and only when an input has changed. */
export async function openWebBuild(): Promise<WebBuild> {
  const prebuilt = readPrebuilt();
  if (prebuilt !== null) return prebuilt;
  const { buildWebApart } = await import('@foreword/web/build').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(`the built web files are missing: ${PREBUILT} does not exist. Install Foreword again`);
  });
  return buildWebApart();
}

export type RecorderAssets = Readonly<Record<Language, WebBuild['entries'][string]>>;

/** The built recorder in each language. */
export function recordersOf({ entries }: WebBuild): RecorderAssets {
  const found = LANGUAGES.map((language) => {
    const entry = entries[`recorder-${language}`];
    if (entry === undefined) throw new Error(`the web build has no recorder in the language ${language}`);
    return [language, entry] as const;
  });
  return Object.fromEntries(found) as RecorderAssets;
}
