/** Test helpers: simulates recipients and carriers, and moves a test clock. */

export { createTestClockService, type TestClockService } from './clock.ts';
export { followTestClocks } from './follow.ts';
export { createSimulation, type Simulation } from './intros.ts';
