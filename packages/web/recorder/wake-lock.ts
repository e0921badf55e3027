let lock: WakeLockSentinel | null = null;
let wanted = false;

async function take(): Promise<void> {
  // Unsupported, or the battery is low: recording still works, but the screen may turn off.
  const sentinel = await navigator.wakeLock?.request('screen').catch(() => null);
  if (!wanted) await sentinel?.release();
  else lock = sentinel ?? null;
}

// The browser releases the lock whenever the page is hidden.
document.addEventListener('visibilitychange', () => {
  if (wanted && document.visibilityState === 'visible') void take();
});

export function keepAwake(awake: boolean): void {
  if (awake === wanted) return;
  wanted = awake;
  if (awake) void take();
  else void lock?.release();
}
