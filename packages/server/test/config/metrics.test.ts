import { expect, test } from 'vitest';
import { readConfig } from '../../src/app/config/index.ts';

test('METRICS_PORT and METRICS_TOKEN are checked at the start', () => {
  expect(readConfig({ METRICS_PORT: '9464', METRICS_TOKEN: 'a-token-of-the-metrics' })).toMatchObject({
    metricsPort: 9464,
    metricsToken: 'a-token-of-the-metrics',
  });
  expect(() => readConfig({ PORT: '4000', METRICS_PORT: '4000' })).toThrow('must not be the same as PORT');
  expect(() => readConfig({ METRICS_PORT: '0' })).toThrow('METRICS_PORT must be a whole number from 1 to 65535');
  expect(() => readConfig({ METRICS_TOKEN: 'short' })).toThrow('METRICS_TOKEN must be at least 16 letters');
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317', 'must be a URL that starts with http:// or https://'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://me:secret@collector.example', 'must be a URL without user'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://collector.example/?token=secret', 'must be a URL without user'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization', 'must be name=value pairs'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=c', 'must be name=value pairs'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%', 'must be name=value pairs'],
  ['OTEL_METRICS_EXPORTER', 'prometheus', 'must be otlp or none'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'must be one of always_on, parentbased_always_on, always_off'],
])('%s=%s is rejected', (name, value, problem) => {
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', [name]: value };
  expect(() => readConfig(environment)).toThrow(`${name} ${problem}`);
});

test('OTEL_TRACES_SAMPLER=always_off turns traces off', () => {
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  expect(readConfig(environment).otlp?.sampler).toEqual({ followsCaller: true, ratio: 1 });
  expect(readConfig({ ...environment, OTEL_TRACES_SAMPLER: 'always_off' }).otlp?.sampler).toBeUndefined();
});
