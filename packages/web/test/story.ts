import type { RecorderState } from '@foreword/contract';
import type { Page } from 'playwright-core';
import { button, heading, openCamera, text } from './actions.ts';
import { exampleTake, type FakeServer } from './fake-server.ts';
import type { Scene } from './phone.ts';

export type Step = (page: Page, server: FakeServer) => Promise<unknown>;

/** One state of the recorder, and how to reach it. */
export interface Story {
  name: string;
  scene?: Scene;
  prepare?(server: FakeServer): void;
  /** Start on a newly opened page. The newest page then shows the state. */
  steps?: readonly Step[];
}

export const camera: Step = (page) => openCamera(page);
export const press =
  (name: string): Step =>
  (page) =>
    button(page, name).click();
export const see =
  (part: string): Step =>
  (page) =>
    text(page, part).waitFor();
export const seeHeading =
  (name: string): Step =>
  (page) =>
    heading(page, name);
export const pause =
  (ms: number): Step =>
  (page) =>
    page.waitForTimeout(ms);

export const withServer = (change: Partial<FakeServer>) => (server: FakeServer) => void Object.assign(server, change);
export const withIntro =
  (change: Partial<RecorderState['intro']>) =>
  ({ state }: FakeServer) =>
    void Object.assign(state.intro, change);
export const withTake =
  (...take: Parameters<typeof exampleTake>) =>
  ({ state }: FakeServer) =>
    void Object.assign(state, { recording: exampleTake(...take) });
