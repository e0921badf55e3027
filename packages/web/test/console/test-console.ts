import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Role } from '@foreword/contract';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { buildWeb, type WebBuild } from '../../build.ts';
import { exampleSession, FakeConsole } from './fake-console.ts';

const PROGRAM = '/usr/bin/chromium';
// Without these flags, Chromium contacts Google for components and updates.
const QUIET = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];

export const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } } as const;

export interface Visit {
  readonly page: Page;
  readonly server: FakeConsole;
  /** Script errors and violations of the Content-Security-Policy. */
  readonly errors: string[];
  close(): Promise<void>;
}

interface VisitOptions {
  role?: Role;
  /** Relative to `/console`. */
  path?: string;
  browser?: BrowserContextOptions;
  prepare?: (server: FakeConsole) => void;
}

/** Bundles a page that shows all parts. */
async function bundleParts(folder: string): Promise<void> {
  await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: 'error',
    publicDir: false,
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { conditions: ['module', 'browser', 'production'] },
    oxc: { jsx: { runtime: 'automatic', importSource: 'react', development: false } },
    build: {
      outDir: folder,
      assetsDir: '',
      cssCodeSplit: false,
      rolldownOptions: {
        input: path.join(import.meta.dirname, 'parts.page.tsx'),
        onLog: (level, log, report) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && report(level, log),
        output: {
          codeSplitting: false,
          entryFileNames: 'parts.js',
          assetFileNames: ({ names }) => (names[0]?.endsWith('.woff2') ? '[name][extname]' : 'parts[extname]'),
        },
      },
    },
  });
}

/** Opens the console in a browser, with a separate fake server for each visit. */
export class TestConsole {
  readonly #browser: Browser;
  readonly #build: WebBuild;
  readonly #folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-console-'));
  #parts: Promise<void> | undefined;

  private constructor(browser: Browser, built: WebBuild) {
    this.#browser = browser;
    this.#build = built;
  }

  static async open(): Promise<TestConsole> {
    if (!fs.existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing. Install it with: apt-get install chromium`);
    const args = ['--no-sandbox', '--disable-gpu', ...QUIET];
    const built = await buildWeb();
    return new TestConsole(await chromium.launch({ executablePath: PROGRAM, args }), built);
  }

  async visit({ role = 'owner', path: below = '', browser = {}, prepare }: VisitOptions = {}): Promise<Visit> {
    return this.#open(this.#build, role, below, browser, prepare);
  }

  /** The page with all parts of the design system. */
  async openParts(browser: BrowserContextOptions = {}): Promise<Visit> {
    this.#parts ??= bundleParts(this.#folder);
    await this.#parts;
    const entries = {
      console: { script: 'parts.js', style: 'parts.css', preload: [], pages: {}, font: 'figtree.woff2' },
    };
    return this.#open({ folder: this.#folder, entries }, 'owner', '', browser);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  async #open(
    built: WebBuild,
    role: Role,
    below: string,
    options: BrowserContextOptions,
    prepare?: VisitOptions['prepare'],
  ): Promise<Visit> {
    const server = await FakeConsole.start(built);
    server.session = exampleSession(role);
    prepare?.(server);
    const context = await this.#browser.newContext({ viewport: SIZES.desktop, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      // Refused responses and dropped connections are also logged here; tests cause them on purpose.
      if (message.type() === 'error' && !/Failed to load resource|ERR_/.test(message.text())) {
        errors.push(message.text());
      }
    });
    await page.goto(`${server.origin}/console${below}`);
    const close = async () => {
      await context.close();
      await server.stop();
    };
    return { page, server, errors, close };
  }
}

export async function findAccessibilityIssues(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Buttons and links that are too small for a finger. */
export const SMALL_TARGETS = `[...document.querySelectorAll('main button, main a, header button, header a, dialog[open] a')].flatMap((element) => {
  const { width, height } = element.getBoundingClientRect();
  const inText = element.closest('p') !== null;
  return width > 0 && !inText && Math.min(width, height) < 44 ? [element.outerHTML] : [];
})`;
