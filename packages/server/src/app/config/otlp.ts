import { ConfigError } from '../../platform/process.ts';
import type { Sampler } from '../../platform/tracing.ts';
import { type Read, readUrl } from './variables.ts';

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

function sendsMetrics(read: Read): boolean {
  const exporter = read('OTEL_METRICS_EXPORTER') ?? 'otlp';
  if (exporter === 'otlp' || exporter === 'none') return exporter === 'otlp';
  throw new ConfigError('OTEL_METRICS_EXPORTER must be otlp or none');
}

/** The samplers of OpenTelemetry's specification. Undefined: the ratio of OTEL_TRACES_SAMPLER_ARG. */
const SAMPLERS: Readonly<Record<string, number | undefined>> = {
  always_on: 1,
  always_off: 0,
  traceidratio: undefined,
};
const FOLLOWS_CALLER = 'parentbased_';

/** Undefined: nothing is traced. */
function readSampler(read: Read): Sampler | undefined {
  const name = read('OTEL_TRACES_SAMPLER') ?? `${FOLLOWS_CALLER}always_on`;
  const own = name.replace(FOLLOWS_CALLER, '');
  if (!Object.hasOwn(SAMPLERS, own)) {
    const names = Object.keys(SAMPLERS).flatMap((known) => [known, FOLLOWS_CALLER + known]);
    throw new ConfigError(`OTEL_TRACES_SAMPLER must be one of ${names.join(', ')}`);
  }
  if (name === 'always_off') return undefined;
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

/** The standard variables of OpenTelemetry: which metrics and traces a collector gets. Undefined: nothing is sent. */
export function readOtlp(read: Read) {
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (endpoint === undefined) return undefined;
  return {
    endpoint: readEndpoint(endpoint),
    headers: readHeaders(read('OTEL_EXPORTER_OTLP_HEADERS') ?? ''),
    sendsMetrics: sendsMetrics(read),
    sampler: readSampler(read),
  };
}
