import fs from 'node:fs';
import path from 'node:path';
import { endChromium } from '../../server/test/browser/chromium.ts';
import { visit } from './phone.ts';
import { inSpanish } from './spanish.ts';
import { play, STORIES } from './stories.ts';

// Takes pictures of every state:
// node packages/web/test/screenshots.ts FOLDER [part of a state's name] [part of a view's name] [language]
const [folder = 'screenshots', which = '', seen = '', language = 'en'] = process.argv.slice(2);
const stories = language === 'es' ? STORIES.map(inSpanish) : STORIES;
const SIZES = { phone: [390, 844], small: [360, 640], desktop: [1280, 800], sideways: [740, 360] } as const;
const SETTLED_MS = 500;

const visitSharp: typeof visit = (scene, options, prepare) => visit(scene, options, prepare, 1);

fs.mkdirSync(folder, { recursive: true });
try {
  for (const story of stories.filter(({ name }) => name.includes(which))) {
    for (const [size, [width, height]] of Object.entries(SIZES)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const view = `${size}-${colorScheme}`;
        if (!view.includes(seen)) continue;
        const { page, close } = await play(story, visitSharp, {
          viewport: { width, height },
          colorScheme,
        });
        await page.waitForTimeout(SETTLED_MS);
        await page.screenshot({ path: path.join(folder, `${story.name}.${view}.png`) });
        await close();
      }
    }
    process.stdout.write(`${story.name}\n`);
  }
} finally {
  await endChromium();
}
