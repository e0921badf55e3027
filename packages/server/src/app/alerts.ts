// Limits beyond which an operator should act. The Prometheus rules, the dashboard and `foreword doctor` use the same ones.

/** Time limits that 99 of 100 events, intros and texts should meet. The service measures them with its own histograms. */
export const SERVICE_LEVELS_S = { accept: 0.1, process: 1, handOver: 5 } as const;

export const ALERT_LIMITS = {
  oldestEventS: 60,
  overdueMessageS: 300,
  waitingTakeS: 600,
  webhooksWaiting: 10_000,
  databaseFailingS: 5,
  clockSkewS: 2,
  freeBytes: 10_000_000_000,
} as const;
