/** Test helpers: simulates recipients and carriers, and moves a test clock. */

export { testClockOperations } from './clock.ts';
export { followTestClocks } from './follow.ts';
export { simulatedIntroOperations } from './intros.ts';
