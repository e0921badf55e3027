/** Test helpers: simulates recipients and carriers, and moves a test clock. */

export { followTestClocks, testClockOperations } from './clock.ts';
export { simulatedIntroOperations } from './intros.ts';
