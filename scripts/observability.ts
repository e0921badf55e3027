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

interface Panel {
  readonly title: string;
  readonly unit: Unit;
  /** PromQL, by the name of the line. `{{label}}` is a label. */
  readonly lines: Readonly<Record<string, string>>;
  /** Draws a line at this value. */
  readonly limit?: number;
}

const rate = (metric: string, by: string) => `sum by (${by}) (rate(${metric}[5m]))`;

const ROWS: readonly { readonly title: string; readonly panels: readonly Panel[] }[] = [
  {
    title: 'Promises: 99 of 100 are faster than the line',
    panels: [
      {
        title: 'Accepting an event or intro',
        unit: 's',
        lines: { p99: 'foreword:accept_seconds:p99' },
        limit: SERVICE_LEVELS_S.accept,
      },
      {
        title: 'From event to intro',
        unit: 's',
        lines: { p99: 'foreword:process_seconds:p99' },
        limit: SERVICE_LEVELS_S.process,
      },
      {
        title: 'From a due text to its carrier',
        unit: 's',
        lines: { p99: 'foreword:hand_over_seconds:p99' },
        limit: SERVICE_LEVELS_S.handOver,
      },
    ],
  },
  {
    title: 'Requests and events',
    panels: [
      {
        title: 'Requests',
        unit: 'reqps',
        lines: { '{{operation}}': rate('foreword_http_request_duration_seconds_count', 'operation') },
      },
      { title: 'Server errors', unit: 'percentunit', lines: { share: 'foreword:request_errors:share' }, limit: 0.01 },
      {
        title: 'Settled events',
        unit: 'cps',
        lines: { '{{status}}': rate('foreword_events_settled_total', 'status') },
      },
      { title: 'Waiting events', unit: 'short', lines: { events: 'max(foreword_queue_depth)' } },
      {
        title: 'Age of the oldest waiting event',
        unit: 's',
        lines: { age: 'max(foreword_oldest_accepted_event_seconds)' },
        limit: ALERT_LIMITS.oldestEventS,
      },
      {
        title: 'Requests that wait for a change',
        unit: 'short',
        lines: { '{{instance}}': 'foreword_waiting_requests' },
      },
    ],
  },
  {
    title: 'Texts, emails and webhooks',
    panels: [
      {
        title: 'Texts and emails',
        unit: 'cps',
        lines: { '{{channel}} {{outcome}}': rate('foreword_messages_total', 'channel, outcome') },
      },
      {
        title: 'Oldest late message',
        unit: 's',
        lines: { late: 'max(foreword_oldest_due_message_seconds)' },
        limit: ALERT_LIMITS.overdueMessageS,
      },
      {
        title: 'Texts that a limit delayed or stopped',
        unit: 'cps',
        lines: { '{{reason}}': rate('foreword_texts_limited_total', 'reason') },
      },
      {
        title: 'Webhook attempts',
        unit: 'cps',
        lines: { '{{outcome}}': rate('foreword_webhook_attempts_total', 'outcome') },
      },
      {
        title: 'Waiting webhooks',
        unit: 'short',
        lines: { webhooks: 'max(foreword_webhooks_waiting)' },
        limit: ALERT_LIMITS.webhooksWaiting,
      },
      {
        title: 'Processed takes',
        unit: 'cps',
        lines: { '{{status}}': rate('foreword_recordings_settled_total', 'status') },
      },
    ],
  },
  {
    title: 'Machines',
    panels: [
      {
        title: 'Database does not respond',
        unit: 's',
        lines: { '{{instance}}': 'foreword_database_failing_seconds' },
        limit: ALERT_LIMITS.databaseFailingS,
      },
      {
        title: 'Memory',
        unit: 'bytes',
        lines: { '{{instance}}': 'process_resident_memory_bytes' },
      },
      {
        title: 'CPU',
        unit: 'percentunit',
        lines: { '{{instance}}': 'rate(process_cpu_seconds_total[5m])' },
      },
      {
        title: 'Event loop delay',
        unit: 's',
        lines: { '{{instance}}': 'nodejs_eventloop_lag_p99_seconds' },
      },
      {
        title: 'Free space for videos',
        unit: 'bytes',
        lines: { '{{instance}}': 'foreword_storage_free_bytes' },
        limit: ALERT_LIMITS.freeBytes,
      },
      {
        title: 'Takes in progress on disk',
        unit: 'bytes',
        lines: { '{{instance}}': 'foreword_work_folder_bytes' },
      },
    ],
  },
];

const COLUMNS = 3;
const WIDTH = 24 / COLUMNS;
const HEIGHT = 8;
const DATA_SOURCE = { type: 'prometheus', uid: '$source' };

function toPanel({ title, unit, lines, limit }: Panel, id: number, x: number, y: number): object {
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
    targets: Object.entries(lines).map(([legendFormat, expr], at) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + at),
      datasource: DATA_SOURCE,
      expr,
      legendFormat,
    })),
  };
}

/** A dashboard to import into Grafana. */
export function writeDashboard(): string {
  const panels: object[] = [];
  let [id, y] = [1, 0];
  for (const row of ROWS) {
    panels.push({
      id: id++,
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos: { x: 0, y, w: 24, h: 1 },
      panels: [],
    });
    y += 1;
    for (const [at, panel] of row.panels.entries()) {
      panels.push(toPanel(panel, id++, (at % COLUMNS) * WIDTH, y + Math.floor(at / COLUMNS) * HEIGHT));
    }
    y += Math.ceil(row.panels.length / COLUMNS) * HEIGHT;
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
