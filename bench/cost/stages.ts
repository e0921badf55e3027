import { readFileSync } from 'node:fs';

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** The first that matches the frame, or one of its callers, names the stage. */
const STAGES: readonly (readonly [stage: string, pattern: RegExp])[] = [
  ['log and request log', /platform\/(log|metrics|trace-id)|request-log|node_modules\/(pino|sonic-boom|thread-stream)/],
  ['validate', /typebox|ajv|platform\/(validate|shape|problems)|packages\/contract\/|secure-json-parse/],
  ['authenticate and limit', /src\/access\//],
  ['idempotency: hash and key', /src\/idempotency\/|internal\/crypto/],
  ['process: plan and present', /src\/(intros|touchpoints|delivery|members|links|webhooks)\//],
  ['process: batches', /events\/processing/],
  ['accept: batches', /src\/events\/|platform\/batcher/],
  [
    'driver of PostgreSQL',
    /node_modules\/(pg|pg-protocol|pg-pool|kysely|pg-types)|platform\/(db|database-client|pooled-client|hints)/,
  ],
  ['jobs', /pg-boss|platform\/jobs/],
  [
    'HTTP',
    // Without sockets and streams, which the driver of PostgreSQL uses too: their callers decide.
    /node_modules\/(fastify|find-my-way|@fastify|fast-json-stringify|avvio|light-my-request)|platform\/(http|operations|pipelining|sockets)|node:(internal\/)?_?http/,
  ],
];

/**
 * The share of each stage in the self time after the start, largest first. Shares, because the profiler samples elapsed time, also
 * while the process waits for a core.
 */
export function listStages(file: string, startMs: number): [stage: string, share: number][] {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile;
  const parents = new Map<number, number>();
  for (const { id, children = [] } of profile.nodes) for (const child of children) parents.set(child, id);
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const stages = new Map<number, string>();
  const stageOf = (id: number | undefined): string => {
    if (id === undefined) return 'Node itself';
    const known = stages.get(id);
    if (known !== undefined) return known;
    const { functionName = '', url = '' } = byId.get(id)?.callFrame ?? {};
    const special = { '(garbage collector)': 'garbage collection', '(idle)': 'idle', '(program)': 'Node itself' }[
      functionName
    ];
    const stage = special ?? STAGES.find(([, pattern]) => pattern.test(url))?.[0] ?? stageOf(parents.get(id));
    stages.set(id, stage);
    return stage;
  };
  const totals = new Map<string, number>();
  let elapsedMs = 0;
  for (const [i, id] of profile.samples.entries()) {
    elapsedMs += (profile.timeDeltas[i] ?? 0) / 1_000;
    if (elapsedMs < startMs) continue;
    const stage = stageOf(id);
    totals.set(stage, (totals.get(stage) ?? 0) + (profile.timeDeltas[i] ?? 0));
  }
  totals.delete('idle');
  const all = [...totals.values()].reduce((sum, total) => sum + total, 0);
  return [...totals].map(([stage, total]): [string, number] => [stage, total / all]).sort((a, b) => b[1] - a[1]);
}
