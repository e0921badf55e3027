import fs from 'node:fs';
import path from 'node:path';
import { LANGUAGES } from '../packages/contract/src/index.ts';
import { buildMessage } from '../packages/server/src/delivery/carriers/email-message.ts';
import { sampleEmails } from '../packages/server/test/delivery/sample-emails.ts';

// Writes every email in every language as a file that mail programs open, and its HTML for browsers.

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('Usage: npx node scripts/emails.ts FOLDER\n');
  process.exit(2);
}
fs.mkdirSync(folder, { recursive: true });
for (const language of LANGUAGES) {
  for (const { name, ...email } of sampleEmails(language)) {
    const file = path.join(folder, `${name}-${language}`);
    const mail = { ...email, id: name, to: 'ana@acme.example', fromName: 'Acme Exteriors & Söhne', attempt: 1 };
    fs.writeFileSync(`${file}.eml`, await buildMessage({ from: 'intros@acme.example' }, mail));
    fs.writeFileSync(`${file}.html`, email.html);
  }
}
