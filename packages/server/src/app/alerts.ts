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

interface Alert {
  /** PromQL. It has a value while something is wrong. */
  readonly expression: string;
  /** How long it has to be wrong. */
  readonly lasting: string;
  readonly summary: string;
}

const RATE = '[5m]';
const quantile = (metric: string) => `histogram_quantile(0.99, sum by (le) (rate(${metric}${RATE})))`;
const share = (part: string, whole: string) => `sum(rate(${part}${RATE})) / sum(rate(${whole}${RATE}))`;

const REQUESTS = 'foreword_http_request_duration_seconds';

/** Values that alerts and panels share: recording rules. */
export const RECORDED: Readonly<Record<string, string>> = {
  'foreword:accept_seconds:p99': quantile(`${REQUESTS}_bucket{operation=~"createTouchpointEvent|createIntro"}`),
  'foreword:process_seconds:p99': quantile('foreword_event_processing_seconds_bucket'),
  'foreword:hand_over_seconds:p99': quantile('foreword_text_handover_seconds_bucket'),
  'foreword:request_errors:share': `${share(`${REQUESTS}_count{status=~"5.."}`, `${REQUESTS}_count`)} or vector(0)`,
  'foreword:event_failures:share': share(
    'foreword_events_settled_total{status="failed"}',
    'foreword_events_settled_total',
  ),
  'foreword:text_failures:share': share(
    'foreword_messages_total{channel="text", outcome=~"failed|undelivered"}',
    'foreword_messages_total{channel="text"}',
  ),
};

/** `critical`: people wait or data cannot be accepted. `warning`: look at it today. By name. */
export const ALERTS: Readonly<Record<'critical' | 'warning', Readonly<Record<string, Alert>>>> = {
  critical: {
    ForewordDown: {
      expression: 'up{job="foreword"} == 0',
      lasting: '2m',
      summary: 'A process does not respond.',
    },
    ForewordDatabaseFailing: {
      expression: `max(foreword_database_failing_seconds) > ${ALERT_LIMITS.databaseFailingS}`,
      lasting: '1m',
      summary: 'The database does not respond, so requests are refused.',
    },
    ForewordRequestErrors: {
      expression: 'foreword:request_errors:share > 0.01',
      lasting: '5m',
      summary: 'More than 1 of 100 requests end with a server error.',
    },
    ForewordEventsWaiting: {
      expression: `max(foreword_oldest_accepted_event_seconds) > ${ALERT_LIMITS.oldestEventS}`,
      lasting: '2m',
      summary: 'Accepted events wait for more than a minute.',
    },
    ForewordTextsOverdue: {
      expression: `max(foreword_oldest_due_message_seconds) > ${ALERT_LIMITS.overdueMessageS}`,
      lasting: '5m',
      summary: 'Texts or emails are more than five minutes late.',
    },
    ForewordTakesWaiting: {
      expression: `max(foreword_oldest_waiting_take_seconds) > ${ALERT_LIMITS.waitingTakeS}`,
      lasting: '5m',
      summary: 'Takes have waited for their video for more than ten minutes.',
    },
    ForewordStorageFull: {
      expression: 'max(foreword_storage_full) == 1',
      lasting: '1m',
      summary: 'New takes are refused, because the store for videos is full.',
    },
  },
  warning: {
    ForewordStorageLow: {
      expression: `min(foreword_storage_free_bytes) < ${ALERT_LIMITS.freeBytes}`,
      lasting: '10m',
      summary: 'The disk with the videos has less than 10 GB left.',
    },
    ForewordEventsFailing: {
      expression: 'foreword:event_failures:share > 0.05',
      lasting: '15m',
      summary: 'More than 5 of 100 events fail.',
    },
    ForewordTextsFailing: {
      expression: 'foreword:text_failures:share > 0.2',
      lasting: '15m',
      summary: 'More than 20 of 100 texts do not arrive.',
    },
    ForewordWebhooksWaiting: {
      expression: `max(foreword_webhooks_waiting) > ${ALERT_LIMITS.webhooksWaiting}`,
      lasting: '15m',
      summary: 'More than 10,000 webhooks wait.',
    },
    ForewordClockWrong: {
      expression: `max(abs(foreword_clock_skew_seconds)) > ${ALERT_LIMITS.clockSkewS}`,
      lasting: '10m',
      summary: "A machine's clock differs from the database's.",
    },
    ForewordAcceptingSlowly: {
      expression: `foreword:accept_seconds:p99 > ${SERVICE_LEVELS_S.accept}`,
      lasting: '10m',
      summary: 'More than 1 of 100 events and intros take longer than 100 ms to accept.',
    },
    ForewordProcessingSlowly: {
      expression: `foreword:process_seconds:p99 > ${SERVICE_LEVELS_S.process}`,
      lasting: '10m',
      summary: 'More than 1 of 100 events take longer than a second to become an intro.',
    },
    ForewordTextsSlow: {
      expression: `foreword:hand_over_seconds:p99 > ${SERVICE_LEVELS_S.handOver}`,
      lasting: '10m',
      summary: 'More than 1 of 100 texts reach the carrier later than five seconds after they are due.',
    },
  },
};
