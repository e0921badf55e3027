import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/app/config/index.ts';

const HOST = 'db.example:5432/foreword';
const read = (environment: Record<string, string>) => readConfig({ DATA_DIR: '/nowhere', ...environment });
const errorOf = (environment: Record<string, string>): string => {
  try {
    read(environment);
  } catch (error) {
    return (error as Error).message;
  }
  return 'valid';
};

describe('the address of a database', () => {
  test.each(['hunter#2', 'hunter/2', 'hunter?2', '12#2', '12/2', '12?2', 'hunter%ff2'])(
    'with the raw password %s is rejected: the message names the variable and the encoding, not the password',
    (password) => {
      for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_READ_URL']) {
        const message = errorOf({ DATABASE_URL: `postgres://${HOST}`, [name]: `postgres://app:${password}@${HOST}` });
        expect(message).toMatch(new RegExp(`^${name} is not a valid URL: percent-encode .*# is %23`));
        expect(message).not.toContain(password);
      }
    },
  );

  test('may have every special character in the password, percent-encoded', () => {
    const url = `postgres://app:${encodeURIComponent('a#b/c?d@e%f:g h&i=j+k\\l"m')}@${HOST}`;
    expect(read({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  test.each([`mysql://app@${HOST}`, 'postgres://app@host:x/foreword', 'localhost'])('%s is rejected', (url) => {
    expect(errorOf({ DATABASE_URL: url })).toMatch(/^DATABASE_URL (must be a URL that starts with|is not a valid URL)/);
  });

  test('may be a folder with a socket', () => {
    const url = 'postgresql:///foreword?host=%2Frun%2Fpostgresql&user=app';
    expect(read({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  test.each(['DATABASE_DIRECT_URL', 'DATABASE_READ_URL'])('of %s alone is rejected', (name) => {
    expect(errorOf({ [name]: `postgres://${HOST}` })).toBe(`DATABASE_URL is missing, but ${name} is set`);
  });

  test('that is given twice is a direct one', () => {
    const url = `postgres://${HOST}`;
    expect(read({ DATABASE_URL: url, DATABASE_DIRECT_URL: url })).toMatchObject({
      databaseUrl: url,
      databaseDirectUrl: undefined,
    });
  });
});

test('an authority that cannot be read is named', () => {
  expect(errorOf({ DATABASE_URL: `postgres://app@${HOST}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem` })).toBe(
    'DATABASE_URL: cannot read /nowhere/ca.pem: ENOENT',
  );
});
