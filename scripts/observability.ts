import { stringify } from 'yaml';
import { ALERT_LIMITS, SERVICE_LEVELS_S } from '../packages/server/src/app/alerts.ts';

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

const RUNBOOKS = 'docs/self-hosting/monitoring.md';

/** Recording and alerting rules for Prometheus. */
export function writeRules(): string {
  const recorded = Object.entries(RECORDED).map(([record, expr]) => ({ record, expr }));
  const alerts = Object.entries(ALERTS).flatMap(([severity, ofSeverity]) =>
    Object.entries(ofSeverity).map(([alert, { expression, lasting, summary }]) => ({
      ...{ alert, expr: expression, for: lasting, labels: { severity } },
      annotations: { summary, runbook: `${RUNBOOKS}#${alert.toLowerCase()}` },
    })),
  );
  const groups = [
    { name: 'foreword-values', rules: recorded },
    { name: 'foreword-alerts', rules: alerts },
  ];
  const header = '# Generated from scripts/observability.ts by `npm run gen`.\n';
  return header + stringify({ groups }, { lineWidth: 0 });
}

/** PromQL, by the name of the line; `{{label}}` is a label. The limit is drawn as a line, too. */
type Panel = readonly [title: string, unit: string, name: string, query: string, limit?: number];

const rate = (metric: string, by: string) => `sum by (${by}) (rate(foreword_${metric}[5m]))`;
const max = (metric: string) => `max(foreword_${metric})`;
const NODE = '{{instance}}';

const ROWS: Readonly<Record<string, readonly Panel[]>> = {
  'Promises: 99 of 100 are faster than the line': [
    ['Accepting an event or intro', 's', 'p99', 'foreword:accept_seconds:p99', SERVICE_LEVELS_S.accept],
    ['From event to intro', 's', 'p99', 'foreword:process_seconds:p99', SERVICE_LEVELS_S.process],
    ['From a due text to its carrier', 's', 'p99', 'foreword:hand_over_seconds:p99', SERVICE_LEVELS_S.handOver],
  ],
  'Requests and events': [
    ['Requests', 'reqps', '{{operation}}', rate('http_request_duration_seconds_count', 'operation')],
    ['Server errors', 'percentunit', 'share', 'foreword:request_errors:share', 0.01],
    ['Settled events', 'cps', '{{status}}', rate('events_settled_total', 'status')],
    ['Waiting events', 'short', 'events', max('queue_depth')],
    ['Oldest waiting event', 's', 'age', max('oldest_accepted_event_seconds'), ALERT_LIMITS.oldestEventS],
    ['Requests that wait for a change', 'short', NODE, 'foreword_waiting_requests'],
  ],
  'Texts, emails and webhooks': [
    ['Texts and emails', 'cps', '{{channel}} {{outcome}}', rate('messages_total', 'channel, outcome')],
    ['Oldest late message', 's', 'late', max('oldest_due_message_seconds'), ALERT_LIMITS.overdueMessageS],
    ['Texts that a limit delayed or stopped', 'cps', '{{reason}}', rate('texts_limited_total', 'reason')],
    ['Webhook attempts', 'cps', '{{outcome}}', rate('webhook_attempts_total', 'outcome')],
    ['Waiting webhooks', 'short', 'webhooks', max('webhooks_waiting'), ALERT_LIMITS.webhooksWaiting],
    ['Oldest take without a video', 's', 'age', max('oldest_waiting_take_seconds'), ALERT_LIMITS.waitingTakeS],
    ['Processed takes', 'cps', '{{status}}', rate('recordings_settled_total', 'status')],
  ],
  Machines: [
    ['Database does not respond', 's', NODE, 'foreword_database_failing_seconds', ALERT_LIMITS.databaseFailingS],
    ['Memory', 'bytes', NODE, 'process_resident_memory_bytes'],
    ['CPU', 'percentunit', NODE, 'rate(process_cpu_seconds_total[5m])'],
    ['Event loop delay', 's', NODE, 'nodejs_eventloop_lag_p99_seconds'],
    ['Free space for videos', 'bytes', NODE, 'foreword_storage_free_bytes', ALERT_LIMITS.freeBytes],
    ['Takes in progress on disk', 'bytes', NODE, 'foreword_work_folder_bytes'],
  ],
};

const COLUMNS = 3;
const WIDTH = 24 / COLUMNS;
const HEIGHT = 8;
const DATA_SOURCE = { type: 'prometheus', uid: '$source' };

function toPanel([title, unit, legendFormat, expr, limit]: Panel, x: number, y: number): object {
  const line = limit !== undefined && {
    thresholds: {
      mode: 'absolute',
      steps: [
        { color: 'green', value: null },
        { color: 'red', value: limit },
      ],
    },
    custom: { thresholdsStyle: { mode: 'line' } },
  };
  return {
    ...{ title, type: 'timeseries', datasource: DATA_SOURCE, gridPos: { x, y, w: WIDTH, h: HEIGHT } },
    fieldConfig: { defaults: { unit, min: 0, ...line }, overrides: [] },
    options: { tooltip: { mode: 'multi' } },
    targets: [{ refId: 'A', expr, legendFormat }],
  };
}

/** A dashboard to import into Grafana. */
export function writeDashboard(): string {
  let y = 0;
  const panels = Object.entries(ROWS).flatMap(([title, row]) => {
    const top = y + 1;
    y = top + Math.ceil(row.length / COLUMNS) * HEIGHT;
    return [
      { type: 'row', title, collapsed: false, gridPos: { x: 0, y: top - 1, w: 24, h: 1 }, panels: [] },
      ...row.map((panel, i) => toPanel(panel, (i % COLUMNS) * WIDTH, top + Math.floor(i / COLUMNS) * HEIGHT)),
    ];
  });
  const source = { name: 'source', label: 'Data source', type: 'datasource', query: 'prometheus' };
  const dashboard = {
    ...{ uid: 'foreword', title: 'Foreword', tags: ['foreword'], schemaVersion: 39, editable: true },
    ...{ time: { from: 'now-6h', to: 'now' }, refresh: '1m', templating: { list: [source] } },
    panels: panels.map((panel, i) => ({ id: i + 1, ...panel })),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
