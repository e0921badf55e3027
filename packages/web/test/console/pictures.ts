import fs from 'node:fs';
import path from 'node:path';
import type { Role } from '@foreword/contract';
import { SIZES, TestConsole } from './test-console.ts';

// Takes screenshots of the console's frame and parts: node packages/web/test/console/pictures.ts FOLDER
const [folder = 'screenshots'] = process.argv.slice(2);
const SETTLED_MS = 600;
const VIEWS: readonly { name: string; path: string; role: Role }[] = [
  { name: 'overview', path: '/overview', role: 'owner' },
  { name: 'developers', path: '/developers', role: 'owner' },
  { name: 'home', path: '/home', role: 'member' },
  { name: 'not-allowed', path: '/members', role: 'member' },
];

fs.mkdirSync(folder, { recursive: true });
const testConsole = await TestConsole.open();
try {
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const shoot = async (name: string, visit: Awaited<ReturnType<TestConsole['visit']>>, fullPage = false) => {
        await visit.page.waitForTimeout(SETTLED_MS);
        await visit.page.screenshot({ path: path.join(folder, `${name}.${size}-${colorScheme}.png`), fullPage });
        await visit.close();
      };
      const browser = { viewport, colorScheme };
      for (const { name, role, path: below } of VIEWS)
        await shoot(name, await testConsole.visit({ role, path: below, browser }));
      const menu = await testConsole.visit({ browser });
      if (size === 'phone') await menu.page.getByRole('button', { name: 'Menu' }).click();
      await shoot('menu', menu);
      const dialog = await testConsole.openParts(browser);
      await dialog.page.getByRole('button', { name: 'Open the dialog' }).click();
      await shoot('dialog', dialog);
      const parts = await testConsole.openParts(browser);
      await parts.page.getByText('Row 1', { exact: true }).waitFor();
      await parts.page.setViewportSize({ ...viewport, height: 4_400 });
      await shoot('parts', parts);
    }
  }
} finally {
  await testConsole.close();
}
