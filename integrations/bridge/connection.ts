import { Foreword } from '@foreword/sdk';
import type { ForewordClient, ForewordHelpers } from './foreword.ts';
import { type Settings, SettingsError } from './settings.ts';

/** Short, because a CRM waits for the answer. It repeats requests that do not succeed within these. */
const TIMEOUT_MS = 4_000;
const MAX_RETRIES = 3;

/** Connects to Foreword through the SDK. */
export function connect(settings: Settings): { foreword: ForewordClient; helpers: ForewordHelpers } {
  const { apiKey, forewordUrl, webhookSecret } = settings;
  try {
    const options = { apiKey, baseUrl: forewordUrl, webhookSecret, timeoutMs: TIMEOUT_MS, maxRetries: MAX_RETRIES };
    return { foreword: new Foreword(options), helpers: Foreword };
  } catch (error) {
    throw new SettingsError(`FOREWORD_URL or FOREWORD_API_KEY is not valid: ${(error as Error).message}`);
  }
}
