/** The time of organizations whose clock is ahead. */

export { CLOCKS_INTERVAL_MS, createTestClocks, onTestClock, type TestClocks } from './clocks.ts';
export {
  deleteClock,
  listClocks,
  lockClock,
  lockForStep,
  readClock,
  setOffset,
} from './store.ts';
