import { ALERT_LIMITS, ALERTS, RECORDED, SERVICE_LEVELS_S } from '../packages/server/src/alerts.ts';

const RUNBOOKS = 'docs/self-hosting/monitoring.md';

/** A YAML string, as the formatter quotes it. */
const text = (value: string): string =>
  value.includes('"') ? `'${value.replaceAll("'", "''")}'` : JSON.stringify(value);

/** Recording and alerting rules for Prometheus. */
export function writeRules(): string {
  const recorded = Object.entries(RECORDED).map(
    ([name, expression]) => `      - record: ${name}\n        expr: ${text(expression)}\n`,
  );
  const alerts = ALERTS.map(
    ({ name, expression, lasting, severity, summary }) => `      - alert: ${name}
        expr: ${text(expression)}
        for: ${lasting}
        labels:
          severity: ${severity}
        annotations:
          summary: ${text(summary)}
          runbook: ${text(`${RUNBOOKS}#${name.toLowerCase()}`)}
`,
  );
  return `# Generated from packages/server/src/alerts.ts by \`npm run gen\`.
groups:
  - name: foreword-values
    rules:
${recorded.join('')}  - name: foreword-alerts
    rules:
${alerts.join('')}`;
}

type Unit = 's' | 'percentunit' | 'bytes' | 'reqps' | 'short' | 'cps';

/** PromQL, by the name of the line; `{{label}}` is a label. The limit is drawn as a line, too. */
type Panel = readonly [title: string, unit: Unit, name: string, query: string, limit?: number];

const rate = (metric: string, by: string) => `sum by (${by}) (rate(${metric}[5m]))`;

const ROWS: Readonly<Record<string, readonly Panel[]>> = {
  'Promises: 99 of 100 are faster than the line': [
    ['Accepting an event or intro', 's', 'p99', 'foreword:accept_seconds:p99', SERVICE_LEVELS_S.accept],
    ['From event to intro', 's', 'p99', 'foreword:process_seconds:p99', SERVICE_LEVELS_S.process],
    ['From a due text to its carrier', 's', 'p99', 'foreword:hand_over_seconds:p99', SERVICE_LEVELS_S.handOver],
  ],
  'Requests and events': [
    ['Requests', 'reqps', '{{operation}}', rate('foreword_http_request_duration_seconds_count', 'operation')],
    ['Server errors', 'percentunit', 'share', 'foreword:request_errors:share', 0.01],
    ['Settled events', 'cps', '{{status}}', rate('foreword_events_settled_total', 'status')],
    ['Waiting events', 'short', 'events', 'max(foreword_queue_depth)'],
    [
      ...(['Age of the oldest waiting event', 's', 'age'] as const),
      ...(['max(foreword_oldest_accepted_event_seconds)', ALERT_LIMITS.oldestEventS] as const),
    ],
    ['Requests that wait for a change', 'short', '{{instance}}', 'foreword_waiting_requests'],
  ],
  'Texts, emails and webhooks': [
    ['Texts and emails', 'cps', '{{channel}} {{outcome}}', rate('foreword_messages_total', 'channel, outcome')],
    ['Oldest late message', 's', 'late', 'max(foreword_oldest_due_message_seconds)', ALERT_LIMITS.overdueMessageS],
    ['Texts that a limit delayed or stopped', 'cps', '{{reason}}', rate('foreword_texts_limited_total', 'reason')],
    ['Webhook attempts', 'cps', '{{outcome}}', rate('foreword_webhook_attempts_total', 'outcome')],
    ['Waiting webhooks', 'short', 'webhooks', 'max(foreword_webhooks_waiting)', ALERT_LIMITS.webhooksWaiting],
    [
      ...(['Oldest take without a video', 's', 'age'] as const),
      ...(['max(foreword_oldest_waiting_take_seconds)', ALERT_LIMITS.waitingTakeS] as const),
    ],
    ['Processed takes', 'cps', '{{status}}', rate('foreword_recordings_settled_total', 'status')],
  ],
  Machines: [
    [
      ...(['Database does not respond', 's', '{{instance}}'] as const),
      ...(['foreword_database_failing_seconds', ALERT_LIMITS.databaseFailingS] as const),
    ],
    ['Memory', 'bytes', '{{instance}}', 'process_resident_memory_bytes'],
    ['CPU', 'percentunit', '{{instance}}', 'rate(process_cpu_seconds_total[5m])'],
    ['Event loop delay', 's', '{{instance}}', 'nodejs_eventloop_lag_p99_seconds'],
    ['Free space for videos', 'bytes', '{{instance}}', 'foreword_storage_free_bytes', ALERT_LIMITS.freeBytes],
    ['Takes in progress on disk', 'bytes', '{{instance}}', 'foreword_work_folder_bytes'],
  ],
};

const COLUMNS = 3;
const WIDTH = 24 / COLUMNS;
const HEIGHT = 8;
const DATA_SOURCE = { type: 'prometheus', uid: '$source' };

function toPanel([title, unit, legendFormat, expr, limit]: Panel, id: number, x: number, y: number): object {
  const steps = [{ color: 'green', value: null }, ...(limit === undefined ? [] : [{ color: 'red', value: limit }])];
  return {
    id,
    title,
    type: 'timeseries',
    datasource: DATA_SOURCE,
    gridPos: { x, y, w: WIDTH, h: HEIGHT },
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        thresholds: { mode: 'absolute', steps },
        custom: { thresholdsStyle: { mode: limit === undefined ? 'off' : 'line' } },
      },
      overrides: [],
    },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: [{ refId: 'A', datasource: DATA_SOURCE, expr, legendFormat }],
  };
}

/** A dashboard to import into Grafana. */
export function writeDashboard(): string {
  const panels: object[] = [];
  let [id, y] = [1, 0];
  for (const [title, row] of Object.entries(ROWS)) {
    panels.push({ id: id++, type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: 24, h: 1 }, panels: [] });
    y += 1;
    for (const [at, panel] of row.entries()) {
      panels.push(toPanel(panel, id++, (at % COLUMNS) * WIDTH, y + Math.floor(at / COLUMNS) * HEIGHT));
    }
    y += Math.ceil(row.length / COLUMNS) * HEIGHT;
  }
  const source = { name: 'source', label: 'Data source', type: 'datasource', query: 'prometheus' };
  const dashboard = {
    uid: 'foreword',
    title: 'Foreword',
    tags: ['foreword'],
    schemaVersion: 39,
    editable: true,
    time: { from: 'now-6h', to: 'now' },
    refresh: '1m',
    templating: { list: [source] },
    panels,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
