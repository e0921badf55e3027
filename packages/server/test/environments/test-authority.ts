import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findProgram } from './programs.ts';

export type TestAuthority = ReturnType<typeof createTestAuthority>;

/** A certificate authority of our own, and a certificate for `host` that it signed. Paths of PEM files. */
export function createTestAuthority(folder: string, host: string) {
  const openssl = findProgram('openssl', 'openssl');
  const at = (name: string) => path.join(folder, name);
  const run = (...args: string[]) => execFileSync(openssl, args, { stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const created = {
    root: at('root.pem'),
    rootKey: at('root.key'),
    certificate: at('certificate.pem'),
    key: at('certificate.key'),
  };
  const authority = [
    '-addext',
    'basicConstraints=critical,CA:TRUE',
    '-addext',
    'keyUsage=critical,keyCertSign,cRLSign',
  ];
  const rootFiles = ['-keyout', created.rootKey, '-out', created.root];
  run('req', '-x509', ...newKey, '-days', '2', '-subj', '/CN=Test authority', ...authority, ...rootFiles);
  run('req', ...newKey, '-subj', `/CN=${host}`, '-keyout', created.key, '-out', at('request.pem'));
  fs.writeFileSync(at('extensions'), `subjectAltName=DNS:${host}\n`);
  const signer = ['-CA', created.root, '-CAkey', created.rootKey, '-CAcreateserial', '-days', '2'];
  run('x509', '-req', '-in', at('request.pem'), ...signer, '-extfile', at('extensions'), '-out', created.certificate);
  return created;
}
