let lock: WakeLockSentinel | null = null;
let wanted = false;

async function take(): Promise<void> {
  // Browsers without it, or a low battery: the recording works as well, the screen may go dark.
  const sentinel = await navigator.wakeLock?.request('screen').catch(() => null);
  if (!wanted) await sentinel?.release();
  else lock = sentinel ?? null;
}

// The browser takes the lock back whenever the page is hidden.
document.addEventListener('visibilitychange', () => {
  if (wanted && document.visibilityState === 'visible') void take();
});

export function keepAwake(awake: boolean): void {
  if (awake === wanted) return;
  wanted = awake;
  if (awake) void take();
  else void lock?.release();
}
