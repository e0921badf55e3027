import type { OtlpSettings } from '../platform/otlp.ts';
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

/** The standard variables of OpenTelemetry. Undefined: nothing is sent. */
export function readOtlp(read: Read): OtlpSettings | undefined {
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (endpoint === undefined) return undefined;
  return {
    endpoint: readEndpoint(endpoint),
    headers: readHeaders(read('OTEL_EXPORTER_OTLP_HEADERS') ?? ''),
    intervalMs: readCount('OTEL_METRIC_EXPORT_INTERVAL', read('OTEL_METRIC_EXPORT_INTERVAL') ?? '60000', [
      100,
      MS_PER_DAY,
    ]),
  };
}
