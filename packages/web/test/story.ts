import type { Page } from 'playwright-core';
import type { FakeServer } from './fake-server.ts';
import type { Scene } from './phone.ts';

/** One state of the recorder, and how to reach it. */
export interface Story {
  name: string;
  scene?: Scene;
  prepare?(server: FakeServer): void;
  /** Starts on a newly opened page; returns the page that shows the state. */
  play?(page: Page, server: FakeServer): Promise<Page | undefined>;
}
