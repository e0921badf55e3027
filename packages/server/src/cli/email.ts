import fs from 'node:fs';
import path from 'node:path';
import { isDomain, isSelector } from '../app/config/carriers.ts';
import { readConfig } from '../app/config/index.ts';
import { dkimRecordName, dkimRecordValue, generateDkimKey } from '../platform/dkim.ts';
import { ownerFor } from '../platform/process.ts';
import { defineCommand, Option } from './command.ts';
import { showFields } from './print.ts';
import { Failure, UsageError } from './terminal.ts';

const DEFAULT_SELECTOR = 'foreword';

function readDomain(given: string | undefined, from: string | undefined): string {
  if (given === undefined && from === undefined) throw new UsageError('--domain is required, or set MAIL_FROM.');
  const domain = (given ?? from?.slice(from.lastIndexOf('@') + 1) ?? '').toLowerCase();
  if (!isDomain(domain)) throw new UsageError(`--domain must be a domain such as acme.example, not "${domain}".`);
  return domain;
}

/** Only the user of the service can read it. Never replaces a file, which may be the key in use. */
function writeKey(file: string, pem: string, dataDir: string): void {
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    fs.writeFileSync(file, pem, { flag: 'wx', mode: 0o600 });
    const owner = ownerFor(dataDir);
    if (owner !== null) fs.chownSync(file, owner.uid, owner.gid);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new Failure(`${file} exists. Choose another --selector or --out.`);
    throw new Failure(`Cannot write ${file} (${code}).`);
  }
}

const NEXT = `Add this TXT record to the domain's DNS, set DKIM_SELECTOR to its name and
DKIM_PRIVATE_KEY to the file, and restart.
foreword doctor then checks it. Some DNS providers want the name without the domain.`;

export const dkimCommand = defineCommand(
  {
    name: 'email dkim',
    summary: 'Generates a key that signs emails (DKIM), and prints its DNS record.',
    input: {
      domain: Option('Domain of the sender. Default: that of MAIL_FROM.'),
      selector: Option(`Name of the key, to replace it later. Default: ${DEFAULT_SELECTOR}.`),
      out: Option('File for the private key. Default: dkim-SELECTOR.pem in DATA_DIR.'),
    },
    example: '--domain acme.example',
  },
  async ({ domain: given, selector = DEFAULT_SELECTOR, out }) => {
    const config = readConfig();
    const domain = readDomain(given, config.carriers.mail?.from);
    if (!isSelector(selector)) throw new UsageError('--selector must be letters, digits, hyphens and dots.');
    const file = path.resolve(out ?? path.join(config.dataDir, `dkim-${selector}.pem`));
    const privateKey = generateDkimKey();
    writeKey(file, privateKey, config.dataDir);
    const shown = {
      object: 'dkim_key',
      domain,
      selector,
      private_key_file: file,
      record_name: dkimRecordName({ domain, selector }),
      record_type: 'TXT',
      record_value: dkimRecordValue(privateKey),
    };
    return showFields(shown, shown, NEXT);
  },
);
