/** Exits with 78 (EX_CONFIG), like the service itself. */
export class SettingsError extends Error {}

export interface Settings {
  readonly forewordUrl: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** Country of phone numbers without a country code. */
  readonly country: string;
  /** IANA zone in which appointments are shown. */
  readonly timeZone: string;
  readonly host: string;
  readonly port: number;
  /** The address under which the CRM reaches this recipe. */
  readonly publicUrl: string | undefined;
}

/** Reads environment variables. Each reader throws a `SettingsError` that names the variable. */
export interface Variables {
  text(name: string, fallback?: string): string;
  optional(name: string): string | undefined;
  /** A secret of at least 16 characters. */
  secret(name: string): string;
  url(name: string, fallback?: string): string;
  choice<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice;
}

export function createVariables(environment: Readonly<Record<string, string | undefined>>): Variables {
  const optional = (name: string) => {
    const value = environment[name]?.trim();
    return value === '' ? undefined : value;
  };
  const text = (name: string, fallback?: string) => {
    const value = optional(name) ?? fallback;
    if (value === undefined) throw new SettingsError(`${name} is missing`);
    return value;
  };
  return {
    text,
    optional,
    secret(name) {
      const value = text(name);
      if (value.length < 16) throw new SettingsError(`${name} is too short: use at least 16 characters`);
      return value;
    },
    url(name, fallback) {
      const value = text(name, fallback);
      const url = URL.canParse(value) ? new URL(value) : undefined;
      if (url === undefined || !/^https?:$/.test(url.protocol))
        throw new SettingsError(`${name} must be a URL that starts with https:// or http://`);
      return value.replace(/\/+$/, '');
    },
    choice(name, choices, fallback) {
      const value = text(name, fallback);
      const found = choices.find((choice) => choice === value);
      if (found === undefined) throw new SettingsError(`${name} must be one of ${choices.join(', ')}`);
      return found;
    },
  };
}

function readTimeZone(variables: Variables): string {
  const timeZone = variables.text('TIME_ZONE');
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw new SettingsError('TIME_ZONE must be an IANA time zone, such as America/Chicago');
  }
  return timeZone;
}

/** The settings that every recipe has. */
export function readSettings(variables: Variables): Settings {
  const port = variables.text('PORT', '8080');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new SettingsError('PORT must be a number from 0 to 65535');
  const country = variables.text('COUNTRY', 'US');
  if (!/^[A-Z]{2}$/.test(country)) throw new SettingsError('COUNTRY must be two capital letters, such as US');
  return {
    forewordUrl: variables.url('FOREWORD_URL'),
    apiKey: variables.text('FOREWORD_API_KEY'),
    webhookSecret: variables.text('FOREWORD_WEBHOOK_SECRET'),
    country,
    timeZone: readTimeZone(variables),
    host: variables.text('HOST', '127.0.0.1'),
    port: Number(port),
    publicUrl: variables.optional('PUBLIC_URL') === undefined ? undefined : variables.url('PUBLIC_URL'),
  };
}
