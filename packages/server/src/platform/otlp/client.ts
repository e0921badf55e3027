/** Folder: sends metrics and traces to a collector of OpenTelemetry. */

import type { Logger } from '../log.ts';
import { every, type Schedule } from '../schedule.ts';

/** Where OTLP messages are sent. */
export interface OtlpSettings {
  /** The collector, without `/v1/…`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The process that the messages are about. */
export interface Sender {
  readonly version: string;
  readonly instance: string;
}

export const nanoseconds = (ms: number): string => `${Math.round(ms * 1_000)}000`;

type Values = Readonly<Partial<Record<string, string | number>>>;

export const attributesOf = (values: Values) =>
  Object.entries(values).map(([key, value]) => ({ key, value: { stringValue: String(value) } }));

export const resourceOf = ({ version, instance }: Sender) => ({
  attributes: attributesOf({
    'service.name': 'foreword',
    'service.version': version,
    'service.instance.id': instance,
  }),
});

const TIMEOUT_MS = 5_000;
/** A process that stops waits no longer for its collector. */
const LAST_TIMEOUT_MS = 1_000;

export async function post(
  { endpoint, headers }: OtlpSettings,
  path: '/v1/metrics' | '/v1/traces',
  message: object,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(endpoint + path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(message),
    redirect: 'error',
    signal,
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the collector at OTEL_EXPORTER_OTLP_ENDPOINT responded with ${response.status}`);
}

/** Calls `send` repeatedly, and once more when the process stops. It asks for a signal for each message. */
export function sendRepeatedly(
  what: 'metrics' | 'traces',
  ms: number,
  log: Logger,
  send: (newSignal: () => AbortSignal) => Promise<void>,
): Schedule {
  const stopping = new AbortController();
  const repeated = every(ms, `send ${what}`, log, async () => {
    try {
      await send(() => AbortSignal.any([stopping.signal, AbortSignal.timeout(TIMEOUT_MS)]));
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    }
  });
  return {
    async stop() {
      stopping.abort();
      await repeated.stop();
      await send(() => AbortSignal.timeout(LAST_TIMEOUT_MS)).catch((err: unknown) =>
        log.warn({ err }, `the last ${what} were not sent`),
      );
    },
  };
}
