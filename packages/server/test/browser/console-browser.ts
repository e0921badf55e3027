import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

// Used by tests and by the screenshot script, so nothing here may depend on the test runner.

const DESKTOP = { width: 1280, height: 800 };
const TIMEOUT_MS = 20_000;

export type ConsolePage = Awaited<ReturnType<typeof openConsolePage>>;

/** Opens a page and collects its errors: of scripts, of the security policy, and requests to other hosts. */
export async function openConsolePage(browser: Browser, origin: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  const errors: string[] = [];
  context.on('weberror', (error) => errors.push(String(error.error())));
  context.on(
    'console',
    (message) => message.type() === 'error' && errors.push(`${message.text()} ${message.location().url}`),
  );
  context.on('request', (request) => {
    const { origin: target, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && target !== origin) errors.push(`requested ${request.url()}`);
  });
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  return { page, errors };
}

/** Opens a sign-in link and presses its button. */
export async function signIn(page: Page, origin: string, link: string): Promise<void> {
  await page.goto(origin + new URL(link).pathname);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((url) => /^\/console\/(?!signin)/.test(url.pathname));
}
