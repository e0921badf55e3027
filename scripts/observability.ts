import { stringify } from 'yaml';
import { ALERT_LIMITS, ALERTS, RECORDED, SERVICE_LEVELS_S } from '../packages/server/src/app/alerts.ts';

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
  const header = '# Generated from packages/server/src/app/alerts.ts by `npm run gen`.\n';
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
