import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';

test('METRICS_PORT and METRICS_TOKEN are checked at the start', () => {
  expect(readConfig({ METRICS_PORT: '9464', METRICS_TOKEN: 'a-token-of-the-metrics' })).toMatchObject({
    metricsPort: 9464,
    metricsToken: 'a-token-of-the-metrics',
  });
  expect(() => readConfig({ PORT: '4000', METRICS_PORT: '4000' })).toThrow('must not be the same as PORT');
  expect(() => readConfig({ METRICS_PORT: '0' })).toThrow('METRICS_PORT must be a whole number from 1 to 65535');
  expect(() => readConfig({ METRICS_TOKEN: 'short' })).toThrow('METRICS_TOKEN must be at least 16 letters');
});
