import type { OtlpSettings } from '../platform/otlp/client.ts';
import type { Sampler } from '../platform/tracing.ts';
import { ConfigError, type Read, readCount, readUrl } from './values.ts';

const MS_PER_DAY = 86_400_000;

/** `name=value,name=value` with percent-encoded values, as in the specification of OpenTelemetry. */
function readHeaders(text: string): Record<string, string> {
  const headers = new Headers();
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    const [name = '', ...value] = pair.split('=');
    try {
      if (value.length === 0) throw new TypeError('no value');
      headers.append(name.trim(), decodeURIComponent(value.join('=').trim()));
    } catch {
      // Does not show the value: a header may contain a password.
      throw new ConfigError(
        'OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs, separated by commas, with percent-encoded values',
      );
    }
  }
  return Object.fromEntries(headers);
}

/** Errors of requests contain their URL, and the log contains the errors, so a password belongs in a header. */
function readEndpoint(text: string): string {
  const { username, password, search, hash } = new URL(
    readUrl('OTEL_EXPORTER_OTLP_ENDPOINT', text, ['http:', 'https:']),
  );
  if (username === '' && password === '' && search === '' && hash === '') return text.replace(/\/+$/, '');
  throw new ConfigError(
    'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL without user, query and fragment; a password belongs in OTEL_EXPORTER_OTLP_HEADERS',
  );
}

const isExported = (read: Read, name: 'OTEL_METRICS_EXPORTER' | 'OTEL_TRACES_EXPORTER'): boolean => {
  const exporter = read(name) ?? 'otlp';
  if (exporter !== 'otlp' && exporter !== 'none') throw new ConfigError(`${name} must be otlp or none`);
  return exporter === 'otlp';
};

/** The samplers of OpenTelemetry's specification. Undefined: the ratio of OTEL_TRACES_SAMPLER_ARG. */
const SAMPLERS: Readonly<Record<string, number | undefined>> = {
  always_on: 1,
  always_off: 0,
  traceidratio: undefined,
};
const FOLLOWS_CALLER = 'parentbased_';

function readSampler(read: Read): Sampler {
  const name = read('OTEL_TRACES_SAMPLER') ?? `${FOLLOWS_CALLER}always_on`;
  const own = name.replace(FOLLOWS_CALLER, '');
  if (!Object.hasOwn(SAMPLERS, own)) {
    const names = Object.keys(SAMPLERS).flatMap((known) => [known, FOLLOWS_CALLER + known]);
    throw new ConfigError(`OTEL_TRACES_SAMPLER must be one of ${names.join(', ')}`);
  }
  return { followsCaller: name.startsWith(FOLLOWS_CALLER), ratio: SAMPLERS[own] ?? readRatio(read) };
}

function readRatio(read: Read): number {
  const text = read('OTEL_TRACES_SAMPLER_ARG') ?? '1';
  const ratio = Number(text);
  if (text.trim() === '' || !(ratio >= 0 && ratio <= 1)) {
    throw new ConfigError('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  }
  return ratio;
}

/** Which metrics and traces a collector of OpenTelemetry gets. */
export interface Telemetry extends OtlpSettings {
  readonly metrics: { readonly intervalMs: number } | undefined;
  readonly traces: { readonly sampler: Sampler; readonly delayMs: number } | undefined;
}

/** The standard variables of OpenTelemetry. Undefined: nothing is sent. */
export function readOtlp(read: Read): Telemetry | undefined {
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (endpoint === undefined) return undefined;
  const readMs = (name: 'OTEL_METRIC_EXPORT_INTERVAL' | 'OTEL_BSP_SCHEDULE_DELAY', otherwise: string) =>
    readCount(name, read(name) ?? otherwise, [100, MS_PER_DAY]);
  const intervalMs = readMs('OTEL_METRIC_EXPORT_INTERVAL', '60000');
  const delayMs = readMs('OTEL_BSP_SCHEDULE_DELAY', '5000');
  const sampler = readSampler(read);
  return {
    endpoint: readEndpoint(endpoint),
    headers: readHeaders(read('OTEL_EXPORTER_OTLP_HEADERS') ?? ''),
    metrics: isExported(read, 'OTEL_METRICS_EXPORTER') ? { intervalMs } : undefined,
    traces: isExported(read, 'OTEL_TRACES_EXPORTER') ? { sampler, delayMs } : undefined,
  };
}
